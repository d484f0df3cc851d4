// Planes: what a model says about two inputs, examples seen from two directions, and the loss around the weights.

import { createRandom } from '../../datasets/random.ts';
import { breath } from './breath.ts';
import { tensor } from './create.ts';
import type { Dataset } from './dataset.ts';
import { ArgumentError } from './error.ts';
import { fitting, looking } from './inspect.ts';
import { activationsOf } from './inspectlayers.ts';
import type { Loss, Model } from './fit.ts';
import { copyOf, namedParameters } from './module.ts';
import { noGrad, type Tensor } from './tensor.ts';
import { shapeText } from './words.ts';

const MOST_UNITS = 16;
const MOST_POINTS = 1000;

/** A square grid of points over two ranges, row by row from the top. */
function gridOf(size: number, [x0, x1]: readonly [number, number], [y0, y1]: readonly [number, number]): Tensor {
  const values = new Float32Array(size * size * 2);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      values[(row * size + column) * 2] = x0 + ((column + 0.5) / size) * (x1 - x0);
      values[(row * size + column) * 2 + 1] = y1 - ((row + 0.5) / size) * (y1 - y0);
    }
  }
  return tensor(values).reshape([size * size, 2]);
}

/** Class and chance all over the plane of a dataset with two features, its points, and what each hidden unit says. */
export function surface(model: Model, dataset: Dataset, size = 60, unitSize = 24) {
  if (dataset.shape.join() !== '2') throw new ArgumentError(`views.surface: needs a dataset with two features, got examples of shape ${shapeText(dataset.shape)}`);
  return looking(model, () => {
    const count = Math.min(dataset.length, MOST_POINTS);
    const [points, labels] = dataset.pick(Array.from({ length: count }, (_, i) => i));
    const values = points.values();
    const x = Float32Array.from({ length: count }, (_, i) => values[i * 2] as number);
    const y = Float32Array.from({ length: count }, (_, i) => values[i * 2 + 1] as number);
    const range = (all: Float32Array): [number, number] => {
      const low = Math.min(...all);
      const high = Math.max(...all);
      const room = (high - low || 1) * 0.12;
      return [low - room, high + room];
    };
    const xRange = range(x);
    const yRange = range(y);
    const chancesOf = (inputs: Tensor): Tensor => {
      const scores = model(inputs);
      // One score is the log odds of the second class.
      return scores.shape[1] === 1 ? twoClasses(scores.sigmoid()) : scores.softmax(1);
    };
    const chances = chancesOf(gridOf(size, xRange, yRange));
    const right = chancesOf(points).argmax(1).to('int32').eq(labels.reshape([-1]).to('int32')).to('float32').mean().item();
    const small = gridOf(unitSize, xRange, yRange);
    const units = activationsOf('views.surface', model, small)
      .filter(({ output }) => output.rank === 2)
      .map(({ layer, output }) => {
        const width = Math.min(MOST_UNITS, output.shape[1] as number);
        const all = output.transpose(0, 1).contiguous().values();
        return { layer, size: unitSize, maps: Array.from({ length: width }, (_, i) => Float32Array.from(all.subarray(i * unitSize * unitSize, (i + 1) * unitSize * unitSize))) };
      });
    return {
      classes: Array.from({ length: chances.shape[1] as number }, (_, i) => dataset.classes[i] ?? String(i)),
      size,
      xRange,
      yRange,
      winner: Uint8Array.from(chances.argmax(1).values()),
      chance: Float32Array.from(chances.max(1).values()),
      points: { x, y, label: Int32Array.from(labels.reshape([-1]).values()) },
      accuracy: right,
      units,
    };
  });
}

function twoClasses(second: Tensor): Tensor {
  const size = second.shape[0] as number;
  const flat = second.reshape([1, size]);
  return flat.neg().add(1).mul(tensor([[1], [0]])).add(flat.mul(tensor([[0], [1]]))).transpose(0, 1);
}

/**
 * The two directions of rows [n, d] with the largest variance, as coordinates of the rows, and the share of variance that they hold.
 * They come from whichever is smaller: products of columns, or of rows with each other.
 */
export function principal(rows: Tensor): { x: Float32Array; y: Float32Array; explained: number } {
  return noGrad(() => {
    const [count = 0, width = 0] = rows.shape;
    const wide = rows.to('float32');
    const centred = wide.sub(wide.mean(0));
    const isByRows = count <= width;
    const size = isByRows ? count : width;
    const products = Float64Array.from((isByRows ? centred.matmul(centred.transpose(0, 1)) : centred.transpose(0, 1).matmul(centred)).values());
    let total = 0;
    for (let i = 0; i < size; i++) total += products[i * size + i] as number;
    const found = [0, 1].map((k) => largestOf(products, size, k));
    const along = ({ vector, value }: Component): Float32Array => {
      const places = isByRows
        ? Float32Array.from(vector, (each) => each * Math.sqrt(Math.max(0, value)))
        : Float32Array.from(centred.matmul(tensor(Float32Array.from(vector)).reshape([size, 1])).reshape([-1]).values());
      // The sign is free: the place furthest out is positive, so that pictures do not flip.
      const furthest = places.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
      return furthest < 0 ? places.map((each) => -each) : places;
    };
    const [first, second] = found as [Component, Component];
    return { x: along(first), y: along(second), explained: total > 0 ? (first.value + second.value) / total : 0 };
  });
}

interface Component {
  readonly vector: Float64Array;
  readonly value: number;
}

const MOST_TURNS = 300;
const STILL = 1e-9;

/** The eigenvector of a symmetric matrix with the largest value, by powers; what it explains is then taken out of the matrix. */
function largestOf(matrix: Float64Array, size: number, k: number): Component {
  // A start that no symmetric matrix of real data is blind to; the same every time.
  let vector = unit(Float64Array.from({ length: size }, (_, i) => 1 + ((i * 7919 + k * 104729) % 1000) / 1000));
  let value = 0;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const next = new Float64Array(size);
    for (let row = 0; row < size; row++) {
      let sum = 0;
      for (let column = 0; column < size; column++) sum += (matrix[row * size + column] as number) * (vector[column] as number);
      next[row] = sum;
    }
    value = Math.sqrt(next.reduce((sum, each) => sum + each * each, 0));
    const turned = unit(next);
    const moved = turned.reduce((most, each, i) => Math.max(most, Math.abs(each - (vector[i] as number))), 0);
    vector = turned;
    if (moved < STILL) break;
  }
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) matrix[row * size + column] = (matrix[row * size + column] as number) - value * (vector[row] as number) * (vector[column] as number);
  return { vector, value };
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0));
  return length > 0 ? vector.map((each) => each / length) : vector;
}

/** What the last layer sees of examples: the results of the layer before it, as rows. */
export function hiddenRows(user: string, model: Model, x: Tensor, layer?: string): { rows: Tensor; name: string } {
  const all = activationsOf(user, model, x).filter(({ output }) => output.shape[0] === x.shape[0] && output.rank >= 2);
  const named = layer === undefined ? all.slice(0, -1).filter(({ module }) => !/dropout/i.test(String(module))).at(-1) : all.find(({ layer: name }) => name.includes(layer));
  if (layer !== undefined && !named) throw new ArgumentError(`${user}: no layer named like "${layer}"; there are ${all.map(({ layer: name }) => name).join(', ')}`);
  if (!named) return { rows: x.reshape([x.shape[0] as number, -1]), name: 'inputs' };
  return { rows: named.output.reshape([x.shape[0] as number, -1]), name: named.layer };
}

/**
 * Loss at w + a * d1 + b * d2 for a, b from -reach to reach, where d1 and d2 are random directions with every filter as long as
 * that of the model. The weights come back exactly.
 */
export async function landscape(model: Model, x: Tensor, y: Tensor, lossOf: Loss, size: number, reach: number, seed: number) {
  const random = createRandom(seed);
  const weights = namedParameters(model).map(([, weight]) => weight);
  const kept = weights.map((weight) => copyOf(weight.detach()).keep());
  const direction = (weight: Tensor): Tensor =>
    noGrad(() => {
      const rows = weight.rank > 1 ? (weight.shape[0] as number) : 1;
      if (weight.rank < 2) return weight.detach().mul(0).keep();
      const noise = tensor(Float32Array.from({ length: weight.elementCount }, () => random.normal())).reshape([rows, -1]);
      const flat = weight.detach().reshape([rows, -1]);
      const scale = flat.square().sum(1).sqrt().div(noise.square().sum(1).sqrt()).reshape([rows, 1]);
      return noise.mul(scale).reshape([...weight.shape]).keep();
    });
  const first = weights.map(direction);
  const second = weights.map(direction);
  const losses = new Float64Array(size * size);
  const lossNow = () => looking(model, () => lossOf(fitting('views.landscape', model, x).output, y).item());
  const centre = lossNow();
  try {
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        await breath();
        const a = ((column - (size - 1) / 2) / ((size - 1) / 2)) * reach;
        const b = (((size - 1) / 2 - row) / ((size - 1) / 2)) * reach;
        noGrad(() => weights.forEach((weight, i) => void weight.copy_((kept[i] as Tensor).add((first[i] as Tensor).mul(a)).add((second[i] as Tensor).mul(b)))));
        losses[row * size + column] = lossNow();
      }
    }
  } finally {
    weights.forEach((weight, i) => void weight.copy_(kept[i] as Tensor));
    for (const each of [...kept, ...first, ...second]) each.dispose();
  }
  return { losses, centre };
}
