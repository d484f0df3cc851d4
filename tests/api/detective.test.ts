// A loss that becomes NaN ends the training, and the steps before are done again in checked mode: the error names the operation, the
// layer and what it gave. Plain numbers, and logs that say so, go on.
import './start.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { data, fit, log, manualSeed, nn, noGrad, optim, randn, type Tensor, tensor } from '../../engine/api/index.ts';
import { beginRun, drainMetrics } from '../../engine/api/host.ts';

beforeEach(() => {
  beginRun('detective');
  drainMetrics();
  manualSeed(1);
});

class Logarithm extends nn.Module {
  override forward(x: Tensor) {
    return x.log();
  }
}

const set = () => data.fromArrays(randn(200, 4), randn(200, 1));
const lossesLogged = () => drainMetrics().flatMap(({ names, columns }) => [...(columns[names.indexOf('loss')] ?? [])]);

/** Trains until something ends it; what was thrown, and how often the body ran. */
async function ended(model: (x: Tensor) => Tensor, optimizer: ReturnType<typeof optim.sgd>, keepGoing = false): Promise<{ error: (Error & { hint?: string }) | null; bodies: number }> {
  let bodies = 0;
  try {
    for await (const [x, y] of set().batches(10, { epochs: 20, shuffle: true, seed: 2 })) {
      bodies++;
      const loss = nn.mse(model(x), y);
      optimizer.zeroGrad();
      loss.backward();
      optimizer.step();
      log({ loss }, { keepGoing });
    }
    return { error: null, bodies };
  } catch (error) {
    return { error: error as Error, bodies };
  }
}

describe('a loop over batches whose loss becomes NaN', () => {
  test('by a logarithm of what is less than zero: the layer is named with the place of the value', async () => {
    const model = nn.sequential(nn.linear(4, 8), new Logarithm(), nn.linear(8, 1));
    const { error } = await ended(model as never, optim.sgd(model, { lr: 0.01 }));
    expect(error!.message).toMatch(/^Logarithm: log: gave NaN at \[\d+, \d+\].*layer 1 of 3/);
    expect(error!.hint).toMatch(/^loss became NaN \(not a number\) at step 1, so training has stopped\. Its last step was done again in checked mode/);
  });

  test('by steps that are too large: some operation gives an infinity first', async () => {
    const model = nn.sequential(nn.linear(4, 8), nn.relu(), nn.linear(8, 1));
    const { error, bodies } = await ended(model as never, optim.sgd(model, { lr: 500 }));
    expect(error!.message).toMatch(/gave (-?Infinity|inf|-inf|NaN)/i);
    expect(error!.hint).toMatch(/loss became .* at step \d+/);
    const logged = lossesLogged();
    expect(Number.isFinite(logged.at(-1)!)).toBe(false);
    expect(logged.slice(0, -1).every(Number.isFinite)).toBe(true);
    // The body ran for each logged step and again for those that were done again.
    expect(bodies).toBeGreaterThan(logged.length);
  });

  test('goes on when its log says so', async () => {
    const model = nn.sequential(nn.linear(4, 8), new Logarithm(), nn.linear(8, 1));
    expect(await ended(model as never, optim.sgd(model, { lr: 0.01 }), true)).toEqual({ error: null, bodies: 400 });
  });

  test('leaves no checked mode behind', async () => {
    const model = nn.sequential(nn.linear(4, 8), new Logarithm(), nn.linear(8, 1));
    await ended(model as never, optim.sgd(model, { lr: 0.01 }));
    expect(tensor([-1]).log().values()[0]).toBeNaN();
  });
});

describe('before steps are done again', () => {
  const build = () => {
    beginRun('detective');
    manualSeed(5);
    const norm = nn.batchNorm1d(8);
    const model = nn.sequential(nn.linear(4, 8), norm, nn.relu(), nn.linear(8, 1));
    const [body, head] = [optim.adam(model.parameters().slice(0, 4), { lr: 0.01 }), optim.sgd(model.parameters().slice(4), { lr: 30 })];
    return { norm, model, optimizers: [body, head], schedule: optim.exponentialLR(body, { gamma: 0.99 }), averages: nn.ema(model) };
  };
  const stateOf = ({ norm, model, schedule, averages, optimizers }: ReturnType<typeof build>) => JSON.stringify({
    running: [norm.runningMean, norm.runningVar].map((each) => [...each.values()]),
    weights: model.parameters().map((weight) => [...weight.values()]),
    schedule: [schedule.lastStep, schedule.lr],
    averages: averages.updates,
    steps: optimizers.map((each) => each.stateDict().state.map(({ step }) => step)),
  });

  test('running averages, two optimizers, schedules and averaged weights are put back', async () => {
    /** Trains until the loss breaks. `look` sees the state after each forward pass, before anything else changes. */
    const course = async (parts: ReturnType<typeof build>, keepGoing: boolean, look: () => void) => {
      for await (const [x, y] of set().batches(10, { epochs: 20, shuffle: true, seed: 2 })) {
        const loss = nn.mse(parts.model(x) as Tensor, y);
        look();
        for (const optimizer of parts.optimizers) optimizer.zeroGrad();
        loss.backward();
        for (const optimizer of parts.optimizers) optimizer.step();
        parts.schedule.step();
        parts.averages.update();
        log({ loss }, { keepGoing });
        if (keepGoing && !Number.isFinite(loss.item())) break;
      }
    };
    const plain = build();
    const states: string[] = [];
    await course(plain, true, () => states.push(stateOf(plain)));
    expect(states.length).toBeGreaterThan(3);
    const watched = build();
    const again: string[] = [];
    await expect(course(watched, false, () => again.push(stateOf(watched)))).rejects.toMatchObject({ hint: expect.stringMatching(/done again in checked mode/) });
    // First the course as it was, then its last steps once more, each from the very same state.
    expect(again.slice(0, states.length)).toEqual(states);
    const repeated = again.slice(states.length);
    expect(repeated.length).toBeGreaterThan(0);
    expect(states.join('\n')).toContain(repeated.join('\n'));
  });

  test('weights that a loop moves by hand are put back, too', async () => {
    manualSeed(3);
    const weight = randn(4, 1).requiresGrad_();
    const seen: string[] = [];
    const descend = async () => {
      for await (const [x, y] of set().batches(10, { epochs: 20, shuffle: true, seed: 2 })) {
        const loss = nn.mse(x.matmul(weight), y);
        seen.push(String(weight.values()));
        weight.grad = null;
        loss.backward();
        noGrad(() => weight.copy_(weight.sub(weight.grad!.mul(40))));
        log({ loss });
      }
    };
    await expect(descend()).rejects.toMatchObject({ message: expect.stringMatching(/gave (-?Infinity|NaN)/i), hint: expect.stringMatching(/done again in checked mode/) });
    const steps = seen.indexOf(seen.at(-1)!);
    expect(steps).toBeGreaterThan(1);
    expect(steps).toBeLessThan(seen.length - 1);
  });
});

test('fit stops, too, captured or not', async () => {
  for (const capture of [true, false]) {
    beginRun('detective');
    manualSeed(3);
    const model = nn.sequential(nn.linear(4, 8), nn.relu(), nn.linear(8, 1));
    await expect(fit(model as never, set(), { epochs: 30, batchSize: 10, optimizer: optim.sgd(model, { lr: 500 }), capture, seed: 1 })).rejects.toMatchObject({ hint: expect.stringMatching(/^loss became .* so training has stopped/) });
  }
});

test('a loop without batches ends at its log', () => {
  const w = tensor([1]).requiresGrad_();
  let step = 0;
  expect(() => {
    for (; step < 10; step++) log({ loss: w.sub(step).log().sum() });
  }).toThrow(/^loss became -?(Infinity|NaN).* at step 2, so training has stopped\. Try a smaller learning rate/);
  expect(step).toBe(1);
});

test('plain numbers and other metrics may be what they are', () => {
  expect(() => {
    log({ loss: Number.NaN });
    log({ ratio: tensor([0]).div(0).sum() });
    log({ loss: 1 });
  }).not.toThrow();
});

test('a training that goes well is not changed by being watched', async () => {
  const train = async (watched: boolean) => {
    beginRun('detective');
    manualSeed(4);
    const model = nn.sequential(nn.linear(4, 8), nn.dropout(0.2), nn.tanh(), nn.linear(8, 1));
    await fit(model as never, set(), { epochs: 3, batchSize: 10, seed: 1, log: watched, capture: false });
    return model.parameters().map((weight) => [...weight.values()]);
  };
  expect(await train(true)).toEqual(await train(false));
});
