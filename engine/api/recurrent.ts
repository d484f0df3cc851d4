// Recurrent layers: rnn, gru and lstm over sequences. One step is an op of the table; here are the loop over time and the weights.

import { checkCount, checkLayerOptions, declareOurs, uniformParameter } from './dense.ts';
import { ArgumentError, ShapeError } from './error.ts';
import { Module } from './module.ts';
import { ops, stack } from './signature.ts';
import { requireTensor, type Tensor } from './tensor.ts';
import { zeros } from './create.ts';
import { shapeText } from './words.ts';

export interface RecurrentOptions {
  /** Layers on top of each other. Default 1. */
  readonly layers?: number;
  /** False leaves out the biases. Default true. */
  readonly bias?: boolean;
  /** True: sequences are [batch, length, features]. Default false, as PyTorch: [length, batch, features]. */
  readonly batchFirst?: boolean;
  /** Of rnn only. Default 'tanh'. */
  readonly nonlinearity?: 'tanh' | 'relu';
}

type Kind = 'rnn' | 'gru' | 'lstm';
const gateCounts: Readonly<Record<Kind, number>> = { rnn: 1, gru: 3, lstm: 4 };

/** What a recurrent layer remembers: the hidden state [layers, batch, hidden], for lstm with the cell state of the same shape. */
export type RecurrentState = Tensor | readonly [hidden: Tensor, cell: Tensor];

/** A layer that goes through a sequence and remembers. */
export class Recurrent<State extends RecurrentState> extends Module<[x: Tensor, state?: State], [output: Tensor, state: State]> {
  readonly #kind: Kind;
  readonly #hidden: number;
  readonly #layers: number;
  readonly #batchFirst: boolean;
  readonly #nonlinearity: 'tanh' | 'relu';
  readonly #features: number;

  constructor(kind: Kind, features: number, hidden: number, options: RecurrentOptions) {
    super();
    checkLayerOptions(kind, options, ['layers', 'bias', 'batchFirst', ...(kind === 'rnn' ? ['nonlinearity'] : [])]);
    this.#kind = kind;
    this.#features = checkCount(kind, 'features', features);
    this.#hidden = checkCount(kind, 'hidden', hidden);
    this.#layers = checkCount(kind, 'layers', options.layers ?? 1);
    this.#batchFirst = options.batchFirst ?? false;
    this.#nonlinearity = options.nonlinearity ?? 'tanh';
    if (!['tanh', 'relu'].includes(this.#nonlinearity))
      throw new ArgumentError(`${kind}: nonlinearity must be 'tanh' or 'relu', got ${this.#nonlinearity}`);
    // Named and initialised as in PyTorch: uniform within 1 / sqrt(hidden).
    const bound = 1 / Math.sqrt(hidden);
    const rows = gateCounts[kind] * hidden;
    for (let layer = 0; layer < this.#layers; layer++) {
      const shapes: Record<string, number[]> = { weight_ih: [rows, layer === 0 ? features : hidden], weight_hh: [rows, hidden] };
      if (options.bias ?? true) Object.assign(shapes, { bias_ih: [rows], bias_hh: [rows] });
      for (const [name, shape] of Object.entries(shapes)) {
        Object.defineProperty(this, `${name}_l${layer}`, { value: uniformParameter(shape, bound), enumerable: true });
      }
    }
  }

  /** A weight by PyTorch's name, such as 'weight_ih_l0'. */
  weight(name: string): Tensor | undefined {
    return (this as unknown as Record<string, Tensor | undefined>)[name];
  }

  override forward(x: Tensor, state?: State): [output: Tensor, state: State] {
    const { shape } = requireTensor(x, String(this), 'x');
    if (shape.length !== 3 || shape[2] !== this.#features) {
      const wanted = this.#batchFirst ? `[batch, length, ${this.#features}]` : `[length, batch, ${this.#features}]`;
      throw new ShapeError(`${this}: needs inputs of shape ${wanted}, got ${shapeText(shape)}`);
    }
    const [timeAxis, batchAxis] = this.#batchFirst ? [1, 0] : [0, 1];
    const initial = zeros([this.#layers, shape[batchAxis] as number, this.#hidden], {
      dtype: x.dtype === 'float64' ? 'float64' : 'float32',
    });
    const [hidden, cell] = state === undefined ? [initial, initial] : Array.isArray(state) ? state : [state as Tensor, initial];
    let steps = Array.from({ length: shape[timeAxis] as number }, (_, t) => x.select(timeAxis, t));
    const lastHidden: Tensor[] = [];
    const lastCell: Tensor[] = [];
    for (let layer = 0; layer < this.#layers; layer++) {
      let h = requireTensor(hidden, String(this), 'state').select(0, layer);
      let c = requireTensor(cell, String(this), 'state').select(0, layer);
      const weights = ['weight_ih', 'weight_hh'].map((name) => this.weight(`${name}_l${layer}`) as Tensor) as [Tensor, Tensor];
      const biases = ['bias_ih', 'bias_hh'].map((name) => this.weight(`${name}_l${layer}`)) as [Tensor?, Tensor?];
      steps = steps.map((step) => {
        if (this.#kind === 'rnn') h = ops.rnnCell(step, h, ...weights, ...biases, this.#nonlinearity);
        else if (this.#kind === 'gru') h = ops.gruCell(step, h, ...weights, ...biases);
        else {
          const both = ops.lstmCell(step, h, c, ...weights, ...biases);
          h = both.select(0, 0);
          c = both.select(0, 1);
        }
        return h;
      });
      lastHidden.push(h);
      lastCell.push(c);
    }
    const end = stack(lastHidden);
    return [stack(steps, timeAxis), (this.#kind === 'lstm' ? [end, stack(lastCell)] : end) as State];
  }

  override toString(): string {
    return `${this.#kind}(${this.#features}, ${this.#hidden}${this.#layers > 1 ? `, { layers: ${this.#layers} }` : ''})`;
  }
}
declareOurs(Recurrent);

/** A plain recurrent layer: h = tanh(W x + U h + b). `const [output, state] = layer(x, state)`; x is [length, batch, features]. */
export const rnn = (features: number, hidden: number, options: RecurrentOptions = {}): Recurrent<Tensor> =>
  new Recurrent('rnn', features, hidden, options);
/** A gated recurrent unit. `const [output, state] = layer(x, state)`; x is [length, batch, features], output [length, batch, hidden]. */
export const gru = (features: number, hidden: number, options: RecurrentOptions = {}): Recurrent<Tensor> =>
  new Recurrent('gru', features, hidden, options);
/** A long short-term memory. `const [output, [h, c]] = layer(x, [h, c])`; x is [length, batch, features], output [length, batch, hidden]. */
export const lstm = (features: number, hidden: number, options: RecurrentOptions = {}): Recurrent<readonly [Tensor, Tensor]> =>
  new Recurrent('lstm', features, hidden, options);
