// Attention and the transformer block, for sequences [batch, length, features].

import { checkCount, checkLayerOptions, declareOurs, type Dropout, dropout, type Linear, linear } from './dense.ts';
import { ArgumentError, ShapeError } from './error.ts';
import { initialize } from './initialize.ts';
import { Module, parameter } from './module.ts';
import { type LayerNorm, layerNorm } from './normalization.ts';
import { letGoOfInside } from './scope.ts';
import { ops } from './signature.ts';
import { requireTensor, type Tensor } from './tensor.ts';
import { zeros } from './create.ts';
import { shapeText } from './words.ts';

export interface AttentionOptions {
  /** False leaves out the biases. Default true. */
  readonly bias?: boolean;
  /** Probability of dropping a weight while training. Default 0. */
  readonly dropout?: number;
}

export interface AttentionCall {
  /** Bool [length, length]: true where a key may be seen; or numbers that are added to the scores. */
  readonly mask?: Tensor;
  /** Each place sees only itself and earlier ones. Default false. */
  readonly isCausal?: boolean;
}

/** Several attentions side by side, each over a part of the features. */
export class MultiheadAttention extends Module<[query: Tensor, key?: Tensor, value?: Tensor, options?: AttentionCall]> {
  static override readonly stateNames = { inProjWeight: 'in_proj_weight', inProjBias: 'in_proj_bias', outProj: 'out_proj' };
  /** [3 * features, features]: query, key and value in this order. */
  readonly inProjWeight: Tensor;
  /** [3 * features] */
  readonly inProjBias: Tensor | undefined;
  readonly outProj: Linear;
  readonly heads: number;
  readonly #dropout: number;

  constructor(features: number, heads: number, options: AttentionOptions = {}) {
    super();
    checkLayerOptions('multiheadAttention', options, ['bias', 'dropout']);
    checkCount('multiheadAttention', 'features', features);
    checkCount('multiheadAttention', 'heads', heads);
    if (features % heads !== 0) throw new ArgumentError(`multiheadAttention: ${heads} heads must divide ${features} features`);
    this.heads = heads;
    this.#dropout = options.dropout ?? 0;
    const bias = options.bias ?? true;
    this.inProjWeight = parameter(initialize('xavierUniform', zeros(3 * features, features)));
    if (bias) this.inProjBias = parameter(zeros(3 * features));
    this.outProj = linear(features, features, { bias });
    if (this.outProj.bias) initialize('zeros', this.outProj.bias);
  }

  override forward(query: Tensor, key: Tensor = query, value: Tensor = key, options: AttentionCall = {}): Tensor {
    const features = this.inProjWeight.shape[1] as number;
    for (const [name, x] of Object.entries({ query, key, value })) {
      const { shape } = requireTensor(x, String(this), name);
      if (shape.length !== 3 || shape[2] !== features) {
        throw new ShapeError(`${this}: needs \`${name}\` of shape [batch, length, ${features}], got ${shapeText(shape)}`);
      }
    }
    return letGoOfInside((inside) => {
      const project = (x: Tensor, part: number): Tensor => {
        const [from, bias] = [part * features, this.inProjBias];
        const projected = inside(ops.linear(x, inside(this.inProjWeight.narrow(0, from, features)), bias && inside(bias.narrow(0, from, features))));
        const [batch, length] = x.shape as readonly [number, number];
        // (batch, heads, length, features / heads)
        return inside(inside(projected.reshape(batch, length, this.heads, features / this.heads)).transpose(1, 2));
      };
      const attended = ops.scaledDotProductAttention(project(query, 0), project(key, 1), project(value, 2), options.mask ?? null, {
        dropoutP: this.training ? this.#dropout : 0,
        isCausal: options.isCausal ?? false,
      });
      const [batch, length] = query.shape as readonly [number, number];
      return this.outProj(inside(inside(inside(attended).transpose(1, 2)).reshape(batch, length, features)));
    });
  }

  override toString(): string {
    return `multiheadAttention(${this.inProjWeight.shape[1]}, ${this.heads})`;
  }
}

/**
 * Attention with several heads over sequences [batch, length, features]. Called with one tensor it attends to itself:
 * `attention(x)`; with others `attention(query, key, value, { isCausal: true })`.
 */
export const multiheadAttention = (features: number, heads: number, options?: AttentionOptions): MultiheadAttention =>
  new MultiheadAttention(features, heads, options);

export interface TransformerOptions {
  /** Width of the layer between. Default 2048, as PyTorch. */
  readonly hidden?: number;
  /** Default 0.1. */
  readonly dropout?: number;
  readonly activation?: 'relu' | 'gelu';
  /** Normalise before each part instead of after it, which trains more easily. Default false. */
  readonly normFirst?: boolean;
}

/** Attention and a small network, each with a way around it and a normalisation. */
export class TransformerEncoderLayer extends Module<[x: Tensor, options?: AttentionCall]> {
  static override readonly stateNames = { selfAttention: 'self_attn' };
  readonly selfAttention: MultiheadAttention;
  readonly linear1: Linear;
  readonly linear2: Linear;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly dropout: Dropout;
  readonly #activation: 'relu' | 'gelu';
  readonly #normFirst: boolean;

  constructor(features: number, heads: number, options: TransformerOptions = {}) {
    super();
    checkLayerOptions('transformerEncoderLayer', options, ['hidden', 'dropout', 'activation', 'normFirst']);
    const { hidden = 2048, dropout: p = 0.1, activation = 'relu', normFirst = false } = options;
    if (activation !== 'relu' && activation !== 'gelu')
      throw new ArgumentError(`transformerEncoderLayer: activation must be 'relu' or 'gelu', got ${activation}`);
    this.selfAttention = multiheadAttention(features, heads, { dropout: p });
    this.linear1 = linear(features, hidden);
    this.linear2 = linear(hidden, features);
    this.norm1 = layerNorm(features);
    this.norm2 = layerNorm(features);
    this.dropout = dropout(p);
    this.#activation = activation;
    this.#normFirst = normFirst;
  }

  override forward(x: Tensor, options: AttentionCall = {}): Tensor {
    const attend = (y: Tensor): Tensor => this.dropout(this.selfAttention(y, y, y, options));
    const feed = (y: Tensor): Tensor => this.dropout(this.linear2(this.dropout(this.linear1(y)[this.#activation]())));
    if (this.#normFirst) {
      const attended = x.add(attend(this.norm1(x)));
      return attended.add(feed(this.norm2(attended)));
    }
    const attended = this.norm1(x.add(attend(x)));
    return this.norm2(attended.add(feed(attended)));
  }

  override toString(): string {
    return `transformerEncoderLayer(${this.linear2.weight.shape[0]}, ${this.selfAttention.heads})`;
  }
}

/** One block of a transformer over sequences [batch, length, features]: self-attention, then a small network. `block(x, { isCausal: true })` for a language model. */
export const transformerEncoderLayer = (features: number, heads: number, options?: TransformerOptions): TransformerEncoderLayer =>
  new TransformerEncoderLayer(features, heads, options);

for (const layer of [MultiheadAttention, TransformerEncoderLayer]) declareOurs(layer);
