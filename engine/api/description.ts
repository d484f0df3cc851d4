// The engine's description of itself: tables of ops, optimizers and initializers, delivered as JSON by gb_describe().
// The tables are written in C++; nothing here repeats them.

export interface ParamRow {
  readonly name: string;
  readonly kind: 'tensor' | 'integer' | 'number' | 'boolean' | 'integers' | 'numbers' | 'dtype' | 'text';
  /** A list of tensors. */
  readonly list?: boolean;
  readonly optional?: boolean;
  readonly default?: unknown;
}

export interface OpRow {
  readonly name: string;
  /** The heading that it stands under in the reference. */
  readonly family: string;
  readonly kind: 'primitive' | 'composite' | 'view';
  readonly differentiable: boolean;
  /** For our own use; not part of the API. */
  readonly internal?: boolean;
  readonly random?: boolean;
  /** The first parameter is one required tensor: also a method of Tensor. */
  readonly method: boolean;
  /** The only attribute is a list of integers, which may be written without brackets. */
  readonly spread: boolean;
  readonly params: readonly ParamRow[];
}

export interface OptimizerParamRow {
  readonly name: string;
  readonly kind: 'number' | 'boolean' | 'numbers';
  readonly default: number | boolean | readonly number[];
  /** Place among the flat attributes; a list takes as many places as its default has numbers. */
  readonly at: number;
}

export interface OptimizerRow {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly OptimizerParamRow[];
  /** Names of the tensors that the optimizer keeps for each parameter. */
  readonly slots: readonly string[];
}

export interface InitializerRow {
  readonly name: string;
  readonly summary: string;
  readonly params: readonly ParamRow[];
}

export interface Description {
  readonly version: number;
  readonly dtypes: readonly string[];
  readonly ops: readonly OpRow[];
  readonly optimizers: readonly OptimizerRow[];
  readonly initializers: readonly InitializerRow[];
  readonly flavour: string;
  readonly simd: string;
  readonly threads: number | boolean;
}
