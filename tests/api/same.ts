// A small training of every kind of layer and the usual optimizers: numbers that must be the same bits whatever runs them.

import { data, files, manualSeed, nn, optim, randint, randn, type Tensor } from '../../engine/api/index.ts';

interface Part {
  readonly name: string;
  /** Losses of some steps. */
  readonly losses: number[];
  /** The bits of all trained values, folded into one number. */
  readonly bits: number;
}

/** FNV-1a over the bytes: equal for equal bits, NaN and the sign of zero included. */
function fold(tensors: readonly Tensor[]): number {
  let hash = 0x811c9dc5;
  for (const tensor of tensors) {
    const values = tensor.values();
    for (const byte of new Uint8Array(values.buffer, values.byteOffset, values.byteLength)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash;
}

function steps(name: string, model: nn.Module, optimizer: ReturnType<typeof optim.sgd>, loss: () => Tensor, count = 4): Part {
  const losses: number[] = [];
  for (let i = 0; i < count; i++) {
    const value = loss();
    optimizer.zeroGrad();
    value.backward();
    optim.clipGradNorm(model.parameters(), 1);
    optimizer.step();
    losses.push(value.item());
  }
  return { name, losses, bits: fold(Object.values(model.stateDict())) };
}

/** A sequence model out of a recurrent layer and a head over its last state. */
class Recurrent extends nn.Module {
  recurrent = nn.lstm(6, 20, { batchFirst: true });
  head = nn.linear(20, 5);
  override forward(x: Tensor): Tensor {
    return this.head(this.recurrent(x)[0].select(1, -1));
  }
}

/** The same numbers on every flavour of one kind of SIMD, with any number of threads, in Node and in a browser. */
export function trainEverything(): Part[] {
  manualSeed(11);
  const parts: Part[] = [];

  const spiral = data.spiral({ examples: 300, arms: 3, seed: 1 });
  const mlp = nn.sequential(nn.linear(2, 130), nn.gelu(), nn.batchNorm1d(130), nn.dropout(0.2), nn.linear(130, 3));
  const adam = optim.adamw(mlp, { lr: 0.01 });
  const losses: number[] = [];
  for (const [x, y] of spiral.batches(60, { shuffle: true, epochs: 2 })) {
    const loss = nn.crossEntropy(mlp(x), y, { labelSmoothing: 0.1 });
    adam.zeroGrad();
    loss.backward();
    adam.step();
    losses.push(loss.item());
  }
  parts.push({ name: 'mlp', losses, bits: fold(Object.values(mlp.stateDict())) });

  const images = randn(48, 1, 28, 28);
  const digits = randint(0, 10, [48]);
  const conv = nn.sequential(
    nn.conv2d(1, 8, 3, { padding: 1 }), nn.relu(), nn.maxPool2d(2), nn.conv2d(8, 16, 3, { stride: 2, groups: 2 }), nn.silu(), nn.avgPool2d(2),
    nn.groupNorm(4, 16), nn.flatten(), nn.linear(16 * 9, 10),
  );
  parts.push(steps('convolution', conv, optim.sgd(conv, { lr: 0.1, momentum: 0.9, nesterov: true }), () => nn.crossEntropy(conv(images), digits)));

  const sequences = randn(32, 12, 6);
  const words = randint(0, 5, [32]);
  const lstm = new Recurrent();
  parts.push(steps('lstm', lstm, optim.rmsprop(lstm, { momentum: 0.5 }), () => nn.crossEntropy(lstm(sequences), words)));

  const attention = nn.transformerEncoderLayer(16, 4, { dropout: 0.1 });
  const tokens = randn(8, 20, 16);
  parts.push(steps('attention', attention, optim.adam(attention), () => attention(tokens).square().mean()));

  const big = randn(300, 257);
  const product = [big.matmul(big.transpose(0, 1)), big.sum(), big.mean(0), big.softmax(1), big.std(), big.cumsum(1), big.argsort(1), big.exp(), big.norm()];
  parts.push({ name: 'operations', losses: [], bits: fold(product) });
  const saved = files.saveCheckpoint({ model: mlp, optimizer: adam });
  parts.push({ name: 'checkpoint', losses: [saved.length], bits: saved.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193) >>> 0, 0x811c9dc5) });
  return parts;
}
