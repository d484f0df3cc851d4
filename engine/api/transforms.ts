// transforms: changes of batches for dataset.transform(), mostly of images [batch, channels, height, width]. Random ones draw from
// the engine's random numbers, so one manualSeed() settles them too, and a checkpoint goes on with them.

import type { Transform } from './dataset.ts';
import { ArgumentError, ShapeError } from './error.ts';
import { ops } from './signature.ts';
import { type Tensor } from './tensor.ts';
import { describeValue, shapeText } from './words.ts';
import { rand, randint, randn, tensor } from './create.ts';

function checkImages(user: string, x: Tensor): [batch: number, channels: number, height: number, width: number] {
  if (x.rank !== 4) throw new ShapeError(`${user}: needs images [batch, channels, height, width], got ${shapeText(x.shape)}`);
  return x.shape as unknown as [number, number, number, number];
}

function checkShare(user: string, p: number): void {
  if (!(p >= 0 && p <= 1)) throw new ArgumentError(`${user}: the probability must be from 0 to 1, got ${describeValue(p)}`);
}

/** (x - mean) / std; one number each, or one per channel (axis 1). */
export function normalize(mean: number | readonly number[], std: number | readonly number[]): Transform {
  const perChannel = (values: number | readonly number[], x: Tensor): Tensor | number => {
    if (typeof values === 'number') return values;
    if (x.shape[1] !== values.length)
      throw new ShapeError(`normalize: got ${values.length} numbers for ${x.shape[1]} channels of ${shapeText(x.shape)}`);
    return tensor(values).reshape([1, values.length, ...new Array<number>(x.rank - 2).fill(1)]);
  };
  return (x, y) => [x.sub(perChannel(mean, x)).div(perChannel(std, x)), y];
}

/** Mirrors each image left to right with probability `p` (0.5). */
export function randomHorizontalFlip(p = 0.5): Transform {
  checkShare('randomHorizontalFlip', p);
  return (x, y) => {
    const [batch] = checkImages('randomHorizontalFlip', x);
    return [ops.where(rand(batch, 1, 1, 1).lt(p), x.flip([3]), x), y];
  };
}

/** Moves each image by up to `pixels` in both directions; what comes in from outside is `fill` (0). */
export function randomShift(pixels: number, fill = 0): Transform {
  if (!Number.isInteger(pixels) || pixels < 0)
    throw new ArgumentError(`randomShift: needs a whole number of pixels from 0 on, got ${describeValue(pixels)}`);
  return (x, y) => {
    const [batch, channels, height, width] = checkImages('randomShift', x);
    const wide = x.pad([pixels, pixels, pixels, pixels], 'constant', fill);
    const starts = (): Tensor => randint(0, 2 * pixels + 1, [batch, 1, 1, 1]);
    const count = (size: number): Tensor => tensor(Int32Array.from({ length: size }, (_, i) => i));
    const rows = count(height).reshape(1, 1, height, 1).add(starts()).expand([batch, channels, height, width + 2 * pixels]);
    const columns = count(width).reshape(1, 1, 1, width).add(starts()).expand([batch, channels, height, width]);
    return [wide.gather(rows, 2).gather(columns, 3), y];
  };
}

/** Adds normally distributed noise of standard deviation `std`. */
export function noise(std: number): Transform {
  if (!(std >= 0)) throw new ArgumentError(`noise: the standard deviation must be from 0 on, got ${describeValue(std)}`);
  return (x, y) => [x.add(randn(x.shape).mul(std)), y];
}

/** Joins all axes of an example but the first: images become rows for linear layers. */
export function flatten(): Transform {
  return (x, y) => [x.flatten(1), y];
}

/** Class ids as rows of zeros with a single 1, float32. */
export function oneHot(classes: number): Transform {
  return (x, y) => [x, y.oneHot(classes).to('float32')];
}
