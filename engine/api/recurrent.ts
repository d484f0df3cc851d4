// Recurrent layers: rnn, gru and lstm over sequences. A sequence through one layer is an op of the table; here are layers, directions
// and weights.

import { checkCount, checkLayerOptions, declareOurs, uniformParameter } from './dense.ts';
import { ArgumentError, ShapeError } from './error.ts';
import { Module } from './module.ts';
import { letGoOfInside } from './scope.ts';
import { concat, ops, run } from './signature.ts';
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
  /** True: a second pass goes from the last step to the first, and every output holds both, [.., 2 * hidden]. Default false. */
  readonly bidirectional?: boolean;
  /** Share of the outputs of every layer but the last that is dropped while training. Default 0. */
  readonly dropout?: number;
  /** Of rnn only. Default 'tanh'. */
  readonly nonlinearity?: 'tanh' | 'relu';
}

type Kind = 'rnn' | 'gru' | 'lstm';
const gateCounts: Readonly<Record<Kind, number>> = { rnn: 1, gru: 3, lstm: 4 };

/**
 * What a recurrent layer remembers: the hidden state [layers, batch, hidden], for lstm with the cell state of the same shape.
 * With two directions there are 2 * layers states: forward and backward of the first layer, of the second, ...
 */
export type RecurrentState = Tensor | readonly [hidden: Tensor, cell: Tensor];

/** A layer that goes through a sequence and remembers. */
export class Recurrent<State extends RecurrentState> extends Module<[x: Tensor, state?: State], [output: Tensor, state: State]> {
  readonly #kind: Kind;
  readonly #hidden: number;
  readonly #layers: number;
  readonly #batchFirst: boolean;
  /** What the names of the weights end with, in the order of the states: '_l0', '_l0_reverse', '_l1', ... */
  readonly #passes: readonly string[];
  readonly #dropout: number;
  readonly #nonlinearity: 'tanh' | 'relu';
  readonly #features: number;

  constructor(kind: Kind, features: number, hidden: number, options: RecurrentOptions) {
    super();
    checkLayerOptions(kind, options, ['layers', 'bias', 'batchFirst', 'bidirectional', 'dropout', ...(kind === 'rnn' ? ['nonlinearity'] : [])]);
    this.#kind = kind;
    this.#features = checkCount(kind, 'features', features);
    this.#hidden = checkCount(kind, 'hidden', hidden);
    this.#layers = checkCount(kind, 'layers', options.layers ?? 1);
    this.#batchFirst = options.batchFirst ?? false;
    this.#nonlinearity = options.nonlinearity ?? 'tanh';
    if (!['tanh', 'relu'].includes(this.#nonlinearity))
      throw new ArgumentError(`${kind}: nonlinearity must be 'tanh' or 'relu', got ${this.#nonlinearity}`);
    this.#dropout = options.dropout ?? 0;
    if (!(this.#dropout >= 0 && this.#dropout < 1)) throw new ArgumentError(`${kind}: dropout must be from 0 up to, but not, 1, got ${this.#dropout}`);
    const directions = options.bidirectional ? ['', '_reverse'] : [''];
    this.#passes = Array.from({ length: this.#layers }, (_, layer) => directions.map((direction) => `_l${layer}${direction}`)).flat();
    // Named and initialised as in PyTorch: uniform within 1 / sqrt(hidden).
    const bound = 1 / Math.sqrt(hidden);
    const rows = gateCounts[kind] * hidden;
    for (const pass of this.#passes) {
      const inputs = pass.startsWith('_l0') ? features : hidden * directions.length;
      const shapes: Record<string, number[]> = { weight_ih: [rows, inputs], weight_hh: [rows, hidden] };
      if (options.bias ?? true) Object.assign(shapes, { bias_ih: [rows], bias_hh: [rows] });
      for (const [name, shape] of Object.entries(shapes)) {
        Object.defineProperty(this, `${name}${pass}`, { value: uniformParameter(shape, bound), enumerable: true });
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
      const hint =
        shape.length === 2 && shape[1] === this.#features
          ? `: one sequence needs a batch axis, x.unsqueeze(${this.#batchFirst ? 0 : 1})`
          : shape.length === 3 && shape[1] === this.#features
            ? ': features come last, x.transpose(1, 2)'
            : '';
      throw new ShapeError(`${this}: needs inputs of shape ${wanted}, got ${shapeText(shape)}${hint}`);
    }
    const batch = shape[this.#batchFirst ? 0 : 1] as number;
    return letGoOfInside((inside) => {
      const initial = inside(zeros([this.#passes.length, batch, this.#hidden], { dtype: x.dtype === 'float64' ? 'float64' : 'float32' }));
      const [hidden, cell] = (state === undefined ? [initial, initial] : Array.isArray(state) ? state : [state, initial]).map((each) =>
        this.#checkState(each, batch),
      ) as [Tensor, Tensor];
      const lastHidden: Tensor[] = [];
      const lastCell: Tensor[] = [];
      const directions = this.#passes.length / this.#layers;
      const throughLayer = (steps: Tensor, layer: number): Tensor => {
        const both = this.#passes.slice(layer * directions, (layer + 1) * directions).map((pass, direction) => {
          const at = layer * directions + direction;
          const [h, c] = [hidden, cell].map((each) => inside(each.narrow(0, at, 1))) as [Tensor, Tensor];
          const end = this.#pass(pass, direction === 1 ? inside(steps.flip(0)) : steps, h, c, inside);
          lastHidden.push(end.h);
          if (end.c) lastCell.push(end.c);
          return direction === 1 ? inside(end.outputs).flip(0) : end.outputs;
        });
        const joined = both.length === 1 ? (both[0] as Tensor) : concat(both.map(inside), 2);
        return this.#dropout > 0 && layer < this.#layers - 1 ? ops.dropout(inside(joined), this.#dropout, this.training) : joined;
      };
      let steps = throughLayer(this.#batchFirst ? inside(x.transpose(0, 1)) : x, 0);
      for (let layer = 1; layer < this.#layers; layer++) steps = throughLayer(inside(steps), layer);
      const end = concat(lastHidden);
      return [this.#batchFirst ? inside(steps).transpose(0, 1) : steps, (this.#kind === 'lstm' ? [end, concat(lastCell)] : end) as State];
    });
  }

  #checkState(state: unknown, batch: number): Tensor {
    const wanted = [this.#passes.length, batch, this.#hidden];
    const { shape } = requireTensor(state, String(this), 'state');
    if (shape.join() !== wanted.join()) throw new ShapeError(`${this}: needs a state of shape ${shapeText(wanted)}, got ${shapeText(shape)}`);
    return state as Tensor;
  }

  /** Goes once over the steps [length, batch, ...] with the weights of one layer in one direction, from states [1, batch, hidden]. */
  #pass(pass: string, steps: Tensor, hidden: Tensor, memory: Tensor, inside: (t: Tensor) => Tensor): { outputs: Tensor; h: Tensor; c: Tensor | undefined } {
    const [ofInputs, ofState] = ['weight_ih', 'weight_hh'].map((name) => this.weight(`${name}${pass}`) as Tensor) as [Tensor, Tensor];
    const [biasOfInputs, biasOfState] = ['bias_ih', 'bias_hh'].map((name) => this.weight(`${name}${pass}`)) as [Tensor?, Tensor?];
    const length = steps.shape[0] as number;
    // What the inputs say is one product for all steps; only what the state says has to go step by step.
    const gates = inside(ops.linear(steps, ofInputs, biasOfInputs));
    const isLstm = this.#kind === 'lstm';
    const start = isLstm ? inside(concat([hidden, memory])) : hidden;
    const states = inside(run('recurrence', gates, ofState, start, biasOfState, this.#kind === 'rnn' ? this.#nonlinearity : this.#kind));
    const h = inside(states.select(0, 0));
    const last = (t: Tensor): Tensor => inside(t.narrow(0, length, 1));
    return { outputs: h.narrow(0, 1, length), h: last(h), c: isLstm ? last(inside(states.select(0, 1))) : undefined };
  }

  override toString(): string {
    const settings = [this.#layers > 1 ? `layers: ${this.#layers}` : '', this.#passes.length > this.#layers ? 'bidirectional: true' : ''].filter(Boolean);
    return `${this.#kind}(${this.#features}, ${this.#hidden}${settings.length ? `, { ${settings.join(', ')} }` : ''})`;
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

export interface CellOptions {
  /** False leaves out the biases. Default true. */
  readonly bias?: boolean;
  /** Of rnnCell only. Default 'tanh'. */
  readonly nonlinearity?: 'tanh' | 'relu';
}

/** One step of a recurrent layer, for loops of one's own. */
export class RecurrentCell<State extends RecurrentState> extends Module<[x: Tensor, state?: State], State> {
  static override readonly stateNames = { weightIh: 'weight_ih', weightHh: 'weight_hh', biasIh: 'bias_ih', biasHh: 'bias_hh' };
  /** [gates * hidden, features] */
  readonly weightIh: Tensor;
  /** [gates * hidden, hidden] */
  readonly weightHh: Tensor;
  declare readonly biasIh?: Tensor;
  declare readonly biasHh?: Tensor;
  readonly #kind: Kind;
  readonly #nonlinearity: 'tanh' | 'relu';

  constructor(kind: Kind, features: number, hidden: number, options: CellOptions) {
    super();
    const name = `${kind}Cell`;
    checkLayerOptions(name, options, ['bias', ...(kind === 'rnn' ? ['nonlinearity'] : [])]);
    checkCount(name, 'features', features);
    checkCount(name, 'hidden', hidden);
    this.#kind = kind;
    this.#nonlinearity = options.nonlinearity ?? 'tanh';
    if (!['tanh', 'relu'].includes(this.#nonlinearity))
      throw new ArgumentError(`${name}: nonlinearity must be 'tanh' or 'relu', got ${this.#nonlinearity}`);
    const bound = 1 / Math.sqrt(hidden);
    const rows = gateCounts[kind] * hidden;
    this.weightIh = uniformParameter([rows, features], bound);
    this.weightHh = uniformParameter([rows, hidden], bound);
    if (options.bias ?? true) {
      this.biasIh = uniformParameter([rows], bound);
      this.biasHh = uniformParameter([rows], bound);
    }
  }

  override forward(x: Tensor, state?: State): State {
    const [features, hidden] = [this.weightIh.shape[1], this.weightHh.shape[1]] as [number, number];
    const { shape } = requireTensor(x, String(this), 'x');
    if (shape.length !== 2 || shape[1] !== features)
      throw new ShapeError(`${this}: needs inputs of shape [batch, ${features}], got ${shapeText(shape)}${shape.length === 3 ? ': a cell takes one step at a time, x.select(0, t)' : ''}`);
    const wanted = [shape[0] as number, hidden];
    const initial = state === undefined ? zeros(wanted, { dtype: x.dtype === 'float64' ? 'float64' : 'float32' }) : undefined;
    const [h, c] = (initial ? [initial, initial] : Array.isArray(state) ? state : [state, state]) as [Tensor, Tensor];
    for (const each of [h, c])
      if (requireTensor(each, String(this), 'state').shape.join() !== wanted.join())
        throw new ShapeError(`${this}: needs a state of shape ${shapeText(wanted)}, got ${shapeText(each.shape)}`);
    const weights = [this.weightIh, this.weightHh, this.biasIh, this.biasHh] as const;
    if (this.#kind === 'rnn') return ops.rnnCell(x, h, ...weights, this.#nonlinearity) as State;
    if (this.#kind === 'gru') return ops.gruCell(x, h, ...weights) as State;
    const both = ops.lstmCell(x, h, c, ...weights);
    return [both.select(0, 0), both.select(0, 1)] as unknown as State;
  }

  override toString(): string {
    return `${this.#kind}Cell(${this.weightIh.shape[1]}, ${this.weightHh.shape[1]})`;
  }
}
declareOurs(RecurrentCell);

/** One step of rnn: `h = cell(x, h)` with x [batch, features] and h [batch, hidden]; zeros where h is left out. */
export const rnnCell = (features: number, hidden: number, options: CellOptions = {}): RecurrentCell<Tensor> =>
  new RecurrentCell('rnn', features, hidden, options);
/** One step of gru: `h = cell(x, h)` with x [batch, features] and h [batch, hidden]; zeros where h is left out. */
export const gruCell = (features: number, hidden: number, options: CellOptions = {}): RecurrentCell<Tensor> =>
  new RecurrentCell('gru', features, hidden, options);
/** One step of lstm: `[h, c] = cell(x, [h, c])` with x [batch, features] and states [batch, hidden]; zeros where they are left out. */
export const lstmCell = (features: number, hidden: number, options: CellOptions = {}): RecurrentCell<readonly [Tensor, Tensor]> =>
  new RecurrentCell('lstm', features, hidden, options);
