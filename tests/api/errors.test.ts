import './start.ts';
import { expect, test } from 'vitest';
import { ArgumentError, DTypeError, EngineError, ShapeError, StateError, ValueError } from '../../engine/api/error.ts';
import { accuracy, data, log, metrics, nn, noGrad, ones, optim, Tensor, tensor, zeros } from '../../engine/api/index.ts';
import { describeValue } from '../../engine/api/words.ts';

// biome-ignore lint/suspicious/noExplicitAny: these calls are wrong on purpose.
const any = (value: unknown): any => value;

/** [what is done, class of the error, its whole message] */
const cases: [() => unknown, new (message: string) => Error, string | RegExp][] = [
  // kinds of arguments, found in TypeScript
  [() => zeros(2).add(any(undefined)), ArgumentError, 'add: `y` must be a tensor or a number, got undefined'],
  [() => zeros(2).matmul(any('abc')), ArgumentError, 'matmul: `y` must be a tensor or a number, got text "abc"'],
  [() => zeros(2).matmul(any([1, 2])), ArgumentError, 'matmul: `y` must be a tensor or a number, got an array of 2'],
  [
    () => zeros(2).add(any(Promise.resolve(1))),
    ArgumentError,
    'add: `y` must be a tensor or a number, got a promise (is an `await` missing?)',
  ],
  [() => any(zeros(2)).relu(1, 2), ArgumentError, 'relu: takes at most 0 arguments (), got 2'],
  [() => zeros(2).sum(any({ keepdims: true })), ArgumentError, 'sum: unknown option "keepdims"; did you mean keepDims?'],
  [() => any(zeros(2)).sum(0, true, { keepDims: true }), ArgumentError, 'sum: `keepDims` is given twice, by position and by name'],
  [() => zeros(2).sum(any('0')), ArgumentError, 'sum: `axes` must be a list of whole numbers, got text "0"'],
  [() => zeros(2).to(any('float23')), ArgumentError, 'to: there is no dtype "float23"; did you mean float32?'],
  [() => tensor(any('abc')), ArgumentError, 'tensor: values must be a number, got text "abc"'],
  [() => tensor([[1, 2], [3]]), ShapeError, 'tensor: rows differ in length: values[0] has 2 elements, values[1] has 1'],
  [() => tensor(any([1, [2]])), ShapeError, /^tensor: the nesting differs: values\[1\] is an array of 1, expected a number there/],
  [
    () => tensor(any([zeros(2), zeros(2)])),
    ArgumentError,
    /^tensor: values\[0\] must be a number, got a Tensor; to join tensors use stack/,
  ],
  [() => zeros(any('2')), ArgumentError, 'zeros: sizes must be whole numbers from 0 on, got text "2" in [2]'],
  [() => zeros(-1), ArgumentError, 'zeros: sizes must be whole numbers from 0 on, got number -1 in [-1]'],
  [() => zeros(2, any({ dType: 'int32' })), ArgumentError, 'zeros: unknown option "dType"; did you mean dtype?'],
  [() => noGrad(any(zeros(2))), ArgumentError, /^noGrad: needs a function/],
  [() => new (any(Tensor))([1, 2]), ArgumentError, /make tensors with tensor\(\[1, 2, 3\]\)/],
  // shapes and states, found in C++
  [() => zeros(2, 3).matmul(zeros(2, 3)), ShapeError, /^matmul: .*\[2, 3\] and \[2, 3\]/],
  [() => zeros(2, 3).add(zeros(4)), ShapeError, /^add: .*\[2, 3\] and \[4\]/],
  [() => zeros(2).backward(), EngineError, /./],
  [() => tensor([1, 2], { dtype: 'int32', requiresGrad: true }), EngineError, /int32/],
  [
    () => zeros(2, 3).item(),
    EngineError,
    'item: needs a tensor with one element, got shape [2, 3]; use mean() or sum() first, or toArray()',
  ],
  // layers
  [
    () => nn.linear(784, 10)(zeros(64, 8, 28, 28)),
    ShapeError,
    'linear(784, 10): needs inputs of shape [..., 784], got [64, 8, 28, 28]: flatten() would give 6272 features, so it would take flatten() and linear(6272, 10)',
  ],
  [
    () => nn.linear(784, 10)(zeros(64, 1, 28, 28)),
    ShapeError,
    'linear(784, 10): needs inputs of shape [..., 784], got [64, 1, 28, 28]: did you forget flatten()?',
  ],
  [
    () => nn.linear(784, 10)(zeros(64, 392)),
    ShapeError,
    'linear(784, 10): needs inputs of shape [..., 784], got [64, 392]: linear(392, 10) would fit',
  ],
  [
    () => nn.sequential(nn.flatten(), nn.linear(100, 10))(zeros(64, 1, 28, 28)),
    ShapeError,
    'linear(100, 10): needs inputs of shape [..., 100], got [64, 784]: linear(784, 10) would fit (layer 1 of 2 in sequential, counted from 0)',
  ],
  [
    () => nn.conv2d(1, 8, 3)(zeros(64, 28, 28)),
    ShapeError,
    'conv2d(1, 8, 3): needs inputs of shape [batch, 1, height, width], got [64, 28, 28]: grey images need a channel axis, x.unsqueeze(1)',
  ],
  [
    () => nn.conv2d(3, 8, 3)(zeros(64, 28, 28, 3)),
    ShapeError,
    'conv2d(3, 8, 3): needs inputs of shape [batch, 3, height, width], got [64, 28, 28, 3]: channels come second, x.permute(0, 3, 1, 2)',
  ],
  [() => nn.conv2d(1, 8, 3, any({ pading: 1 })), ArgumentError, 'conv2d: unknown option "pading"; did you mean padding?'],
  [() => nn.linear(any('a'), 10), ArgumentError, 'linear: `inFeatures` must be a whole number from 1 on, got text "a"'],
  [
    () => nn.sequential(any(nn.relu()(zeros(2)))),
    ArgumentError,
    'sequential: item 0 must be a layer or a function, got a Tensor; was a layer called already?',
  ],
  [
    () => nn.sequential(any((x: Tensor) => void x))(zeros(2)),
    ArgumentError,
    'sequential: layer 0 must give a tensor, got undefined; is a `return` missing?',
  ],
  [
    () => nn.sequential(nn.relu(), (x: Tensor) => x.matmul(zeros(5, 5)))(zeros(2, 3)),
    ShapeError,
    /^sequential: matmul: .*\(layer 1 of 2 in sequential, counted from 0\)$/,
  ],
  [
    () => nn.mse(zeros(64, 1), zeros(64)),
    ShapeError,
    'mse: prediction and target must have the same shape, got [64, 1] and [64]: prediction.squeeze(1) or target.unsqueeze(1) makes them equal',
  ],
  [
    () => nn.mse(zeros(64, 10), zeros(64)),
    ShapeError,
    'mse: prediction and target must have the same shape, got [64, 10] and [64]: are the targets class ids? target.oneHot(10) makes rows of them, crossEntropy takes them as they are',
  ],
  [
    () => nn.mse(zeros(64, 1, 8, 8), zeros(64, 64)),
    ShapeError,
    'mse: prediction and target must have the same shape, got [64, 1, 8, 8] and [64, 64]: they have equally many elements: did you forget flatten()?',
  ],
  [
    () => nn.crossEntropy(zeros(4, 3), tensor([0, 1, 2, 0]).oneHot(3)),
    ShapeError,
    "crossEntropy: logits [4, 3] need class ids of shape [4] or probabilities of shape [4, 3]; got int32 of shape [4, 3]; are they one-hot rows? argmax(1) makes class ids of them, to('float32') probabilities",
  ],
  [
    () => nn.crossEntropy(zeros(4, 3), tensor([1, 2, 3, 1])),
    ValueError,
    'crossEntropy: class id 3 at place 2 lies outside 0 to 2 (the logits have 3 classes); ids count from 0',
  ],
  [() => nn.crossEntropy(zeros(4, 3), tensor([0, 1, 0.5, 0])), DTypeError, /^crossEntropy: indices and class ids must be whole numbers, got 0\.5/],
  [() => nn.embedding(5, 2)(tensor([4, -1])), ValueError, 'embedding(5, 2): id -1 at place 1 lies outside 0 to 4'],
  [
    () => accuracy(zeros(4, 3), tensor([0, 1, 2, 0]).oneHot(3)),
    ShapeError,
    'accuracy: needs logits [size, classes] and class ids [size], got [4, 3] and [4, 3]: are the targets one-hot rows? target.argmax(1) makes class ids of them',
  ],
  [() => metrics.topKAccuracy(zeros(2, 3), tensor([0, 3])), ArgumentError, 'topKAccuracy: example 1 has target 3; with 3 classes ids are 0 to 2'],
  [
    () => nn.lstm(8, 4, { batchFirst: true })(zeros(2, 8, 5)),
    ShapeError,
    'lstm(8, 4): needs inputs of shape [batch, length, 8], got [2, 8, 5]: features come last, x.transpose(1, 2)',
  ],
  [() => zeros(2, 9, 4).conv1d(zeros(3, 4, 3)), ShapeError, /^conv1d: .*channels come second: permute\(0, 2, 1\)$/],
  [() => nn.parameters(any((x: Tensor) => x)), ArgumentError, /^parameters: cannot see the layers that a plain function uses/],
  // optimizers, data, log
  [() => optim.adam([], { lr: 1 }), ArgumentError, /^optim\.adam: got no parameters/],
  [
    () => optim.sgd(nn.linear(1, 1).parameters(), any(0.1)),
    ArgumentError,
    'optim.sgd: settings are an object; write optim.sgd(parameters, { lr: 0.1 })',
  ],
  [
    () => optim.sgd(nn.linear(1, 1).parameters(), any({ learningRate: 0.1 })),
    ArgumentError,
    /^optim\.sgd: there is no setting "learningRate"; known: lr, momentum/,
  ],
  [
    () => data.line().batches(0),
    ArgumentError,
    'batches: the batch size must be a whole number from 1 on, as in batches(64), got number 0',
  ],
  [() => data.fromArrays([[1], [2]], [1]), ShapeError, /features have shape \[2, 1\], labels \[1, 1\]/],
  [() => log(any(zeros(1))), ArgumentError, 'log: needs names with values, as in log({ loss }), got a Tensor'],
  [() => log({ loss: zeros(2) }), ArgumentError, 'log: `loss` must be one number, got a tensor of shape [2]; use mean() or sum() first'],
  [() => log({ loss: any('1') }), ArgumentError, 'log: `loss` must be a number or a tensor with one element, got text "1"'],
];

test.each(cases.map(([body, type, message]) => [message, type.name, body, type] as const))('says: %s (%s)', (message, _, body, type) => {
  let error: unknown;
  try {
    body();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(type);
  if (typeof message === 'string') expect((error as Error).message).toBe(message);
  else expect((error as Error).message).toMatch(message);
});

test('a tensor is called so, whatever a small build of the page calls its class', () => {
  class e {
    shape = [2];
    dtype = 'float32';
  }
  expect(describeValue(new e())).toBe('a Tensor');
  expect(describeValue(new (class q {})())).toBe('an object');
});

test('an error leaves the engine as it was', () => {
  expect(() => ones(2, 3).matmul(ones(2, 3))).toThrow(ShapeError);
  expect(ones(2, 3).matmul(ones(3, 2)).toArray()).toEqual([
    [3, 3],
    [3, 3],
  ]);
});

test('a dtype that an op does not take is a DTypeError', () => {
  expect(() => tensor([true]).neg()).toThrow(DTypeError);
});

test('a disposed tensor says so', () => {
  const x = ones(2, 3);
  x.dispose();
  x.dispose();
  expect(() => x.add(1)).toThrow(StateError);
  expect(() => x.add(1)).toThrow('add: the tensor that ones made has been disposed of');
  expect(String(x)).toBe('Tensor(gone, made by ones)');
});
