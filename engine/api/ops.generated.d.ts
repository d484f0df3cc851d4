// Written by engine/bind/typings.cpp (describe --typings) from the tables of the engine. Do not edit.
import type { Optimizer, Trainable } from './optim.ts';
import type { DType, Tensor } from './tensor.ts';

/** Ops whose first argument is a tensor, as its methods. */
export interface TensorOps {
  /**
   * Adds two tensors, element by element.
   *
   * Formula: `x + y`
   * @example
   * ```ts
   * tensor([1, 2]).add(tensor([10, 20]))
   * // [11, 22]
   * ```
   */
  add(y: Tensor | number): Tensor;
  /**
   * Subtracts the second tensor from the first, element by element.
   *
   * Formula: `x - y`
   * @example
   * ```ts
   * tensor([5, 7]).sub(2)
   * // [3, 5]
   * ```
   */
  sub(y: Tensor | number): Tensor;
  /**
   * Multiplies two tensors, element by element; for the matrix product see matmul.
   *
   * Formula: `x \cdot y`
   * @example
   * ```ts
   * tensor([1, 2, 3]).mul(tensor([2, 2, 0.5]))
   * // [2, 4, 1.5]
   * ```
   */
  mul(y: Tensor | number): Tensor;
  /**
   * Divides the first tensor by the second, element by element; whole numbers give float32. Division by zero gives Infinity or NaN.
   *
   * Formula: `x / y`
   * @example
   * ```ts
   * tensor([1, 2]).div(tensor([4, 4]))
   * // [0.25, 0.5]
   * ```
   */
  div(y: Tensor | number): Tensor;
  /**
   * Changes the sign of every element.
   *
   * Formula: `-x`
   * @example
   * ```ts
   * tensor([1, -2]).neg()
   * // [-1, 2]
   * ```
   */
  neg(): Tensor;
  /**
   * Raises the first tensor to the power of the second; a negative base with a broken exponent gives NaN.
   *
   * Formula: `x^{y}`
   * @example
   * ```ts
   * tensor([1, 2, 3]).pow(2)
   * // [1, 4, 9]
   * ```
   */
  pow(exponent: Tensor | number): Tensor;
  /**
   * Remainder of the division of the first tensor by the second, with the sign of the divisor, as % in Python.
   * @example
   * ```ts
   * tensor([5, -5]).remainder(3)
   * // [2, 1]
   * ```
   */
  remainder(y: Tensor | number): Tensor;
  /**
   * Absolute value; the gradient at zero is zero.
   *
   * Formula: `|x|`
   * @example
   * ```ts
   * tensor([-1.5, 2]).abs()
   * // [1.5, 2]
   * ```
   */
  abs(): Tensor;
  /**
   * -1 for negative elements, 1 for positive ones, 0 for zero; NaN stays NaN. The gradient is zero.
   * @example
   * ```ts
   * tensor([-3, 0, 2]).sign()
   * // [-1, 0, 1]
   * ```
   */
  sign(): Tensor;
  /**
   * Each element times itself.
   *
   * Formula: `x^2`
   * @example
   * ```ts
   * tensor([1, -3]).square()
   * // [1, 9]
   * ```
   */
  square(): Tensor;
  /**
   * One divided by each element.
   *
   * Formula: `1/x`
   * @example
   * ```ts
   * tensor([2, 4]).reciprocal()
   * // [0.5, 0.25]
   * ```
   */
  reciprocal(): Tensor;
  /**
   * The larger of two elements; NaN wins. Where both are equal, each gets half of the gradient.
   * @example
   * ```ts
   * tensor([1, 5]).maximum(tensor([3, 2]))
   * // [3, 5]
   * ```
   */
  maximum(y: Tensor | number): Tensor;
  /**
   * The smaller of two elements; NaN wins. Where both are equal, each gets half of the gradient.
   * @example
   * ```ts
   * tensor([1, 5]).minimum(tensor([3, 2]))
   * // [1, 2]
   * ```
   */
  minimum(y: Tensor | number): Tensor;
  /**
   * Moves elements below `min` to min and above `max` to max; NaN stays NaN. The gradient passes where min <= x <= max.
   * @example
   * ```ts
   * tensor([-2, 0.5, 9]).clamp(0, 1)
   * // [0, 0.5, 1]
   * ```
   */
  clamp(min?: number, max?: number): Tensor;
  /** Moves elements below `min` to min and above `max` to max; NaN stays NaN. The gradient passes where min <= x <= max. */
  clamp(options: { min?: number; max?: number }): Tensor;
  /** Moves elements below `min` to min and above `max` to max; NaN stays NaN. The gradient passes where min <= x <= max. */
  clamp(min: number, options: { max?: number }): Tensor;
  /**
   * Elements of `x` where the condition is true, of `y` where it is false.
   * @example
   * ```ts
   * tensor([true, false]).where(tensor([1, 2]), tensor([10, 20]))
   * // [1, 20]
   * ```
   */
  where(x: Tensor | number, y: Tensor | number): Tensor;
  /**
   * Goes from `x` towards `end` by the share `weight`: 0 gives x, 1 gives end.
   *
   * Formula: `x + w (y - x)`
   * @example
   * ```ts
   * tensor([0, 10]).lerp(tensor([10, 20]), 0.3)
   * // [3, 13]
   * ```
   */
  lerp(end: Tensor | number, weight: Tensor | number): Tensor;
  /**
   * Converts to another dtype; broken numbers are cut towards zero for whole types, and NaN becomes 0.
   * @example
   * ```ts
   * tensor([1.7, -1.7]).to('int32')
   * // [1, -1]
   * ```
   */
  to(dtype: DType): Tensor;
  /**
   * e to the power of each element.
   *
   * Formula: `e^x`
   * @example
   * ```ts
   * tensor([0, 1]).exp()
   * // [1, 2.7183]
   * ```
   */
  exp(): Tensor;
  /**
   * exp(x) - 1, exact also for x near zero.
   *
   * Formula: `e^x - 1`
   * @example
   * ```ts
   * tensor([0, 1]).expm1()
   * // [0, 1.7183]
   * ```
   */
  expm1(): Tensor;
  /**
   * Natural logarithm; of zero -Infinity, of negative elements NaN.
   *
   * Formula: `\ln x`
   * @example
   * ```ts
   * tensor([1, 10]).log()
   * // [0, 2.3026]
   * ```
   */
  log(): Tensor;
  /**
   * log(1 + x), exact also for x near zero.
   *
   * Formula: `\ln(1 + x)`
   * @example
   * ```ts
   * tensor([0, 1]).log1p()
   * // [0, 0.69315]
   * ```
   */
  log1p(): Tensor;
  /**
   * Logarithm to base 2.
   *
   * Formula: `\log_2 x`
   * @example
   * ```ts
   * tensor([1, 8]).log2()
   * // [0, 3]
   * ```
   */
  log2(): Tensor;
  /**
   * Logarithm to base 10.
   *
   * Formula: `\log_{10} x`
   * @example
   * ```ts
   * tensor([1, 1000]).log10()
   * // [0, 3]
   * ```
   */
  log10(): Tensor;
  /**
   * Square root; of negative elements NaN. The gradient at zero is infinite.
   *
   * Formula: `\sqrt{x}`
   * @example
   * ```ts
   * tensor([4, 2]).sqrt()
   * // [2, 1.4142]
   * ```
   */
  sqrt(): Tensor;
  /**
   * One divided by the square root.
   *
   * Formula: `1 / \sqrt{x}`
   * @example
   * ```ts
   * tensor([4, 0.25]).rsqrt()
   * // [0.5, 2]
   * ```
   */
  rsqrt(): Tensor;
  /**
   * Sine of an angle in radians.
   *
   * Formula: `\sin x`
   * @example
   * ```ts
   * tensor([0, 1]).sin()
   * // [0, 0.84147]
   * ```
   */
  sin(): Tensor;
  /**
   * Cosine of an angle in radians.
   *
   * Formula: `\cos x`
   * @example
   * ```ts
   * tensor([0, 1]).cos()
   * // [1, 0.5403]
   * ```
   */
  cos(): Tensor;
  /**
   * Tangent of an angle in radians.
   *
   * Formula: `\tan x`
   * @example
   * ```ts
   * tensor([0, 1]).tan()
   * // [0, 1.5574]
   * ```
   */
  tan(): Tensor;
  /**
   * Angle in radians with this sine; NaN outside [-1, 1].
   *
   * Formula: `\arcsin x`
   * @example
   * ```ts
   * tensor([0, 1]).asin()
   * // [0, 1.5708]
   * ```
   */
  asin(): Tensor;
  /**
   * Angle in radians with this cosine; NaN outside [-1, 1].
   *
   * Formula: `\arccos x`
   * @example
   * ```ts
   * tensor([1, 0]).acos()
   * // [0, 1.5708]
   * ```
   */
  acos(): Tensor;
  /**
   * Angle in radians with this tangent, between -pi/2 and pi/2.
   *
   * Formula: `\arctan x`
   * @example
   * ```ts
   * tensor([0, 1]).atan()
   * // [0, 0.7854]
   * ```
   */
  atan(): Tensor;
  /**
   * Angle in radians of the point (x, y), between -pi and pi; the first argument is y.
   *
   * Formula: `\operatorname{atan2}(y, x)`
   * @example
   * ```ts
   * tensor([1, -1]).atan2(tensor([1, -1]))
   * // [0.7854, -2.3562]
   * ```
   */
  atan2(x: Tensor | number): Tensor;
  /**
   * Hyperbolic sine.
   *
   * Formula: `\sinh x`
   * @example
   * ```ts
   * tensor([0, 1]).sinh()
   * // [0, 1.1752]
   * ```
   */
  sinh(): Tensor;
  /**
   * Hyperbolic cosine.
   *
   * Formula: `\cosh x`
   * @example
   * ```ts
   * tensor([0, 1]).cosh()
   * // [1, 1.5431]
   * ```
   */
  cosh(): Tensor;
  /**
   * Hyperbolic tangent: squeezes every number into (-1, 1).
   *
   * Formula: `\tanh x`
   * @example
   * ```ts
   * tensor([0, 1]).tanh()
   * // [0, 0.76159]
   * ```
   */
  tanh(): Tensor;
  /**
   * Inverse of sinh.
   *
   * Formula: `\operatorname{arsinh} x`
   * @example
   * ```ts
   * tensor([0, 1]).asinh()
   * // [0, 0.88137]
   * ```
   */
  asinh(): Tensor;
  /**
   * Inverse of cosh; NaN below 1.
   *
   * Formula: `\operatorname{arcosh} x`
   * @example
   * ```ts
   * tensor([1, 2]).acosh()
   * // [0, 1.317]
   * ```
   */
  acosh(): Tensor;
  /**
   * Inverse of tanh; NaN outside [-1, 1].
   *
   * Formula: `\operatorname{artanh} x`
   * @example
   * ```ts
   * tensor([0, 0.5]).atanh()
   * // [0, 0.54931]
   * ```
   */
  atanh(): Tensor;
  /**
   * 1 / (1 + exp(-x)): squeezes every number into (0, 1).
   *
   * Formula: `\sigma(x) = \frac{1}{1 + e^{-x}}`
   * @example
   * ```ts
   * tensor([0, 2]).sigmoid()
   * // [0.5, 0.8808]
   * ```
   */
  sigmoid(): Tensor;
  /**
   * Error function: the share of a normal distribution within x times sqrt(2) deviations.
   *
   * Formula: `\frac{2}{\sqrt{\pi}} \int_0^x e^{-t^2} dt`
   * @example
   * ```ts
   * tensor([0, 1]).erf()
   * // [0, 0.8427]
   * ```
   */
  erf(): Tensor;
  /**
   * The next whole number below; the gradient is zero.
   *
   * Formula: `\lfloor x \rfloor`
   * @example
   * ```ts
   * tensor([1.5, -1.5]).floor()
   * // [1, -2]
   * ```
   */
  floor(): Tensor;
  /**
   * The next whole number above; the gradient is zero.
   *
   * Formula: `\lceil x \rceil`
   * @example
   * ```ts
   * tensor([1.5, -1.5]).ceil()
   * // [2, -1]
   * ```
   */
  ceil(): Tensor;
  /**
   * The nearest whole number, halves to the even one; the gradient is zero.
   * @example
   * ```ts
   * tensor([0.5, 1.5, 2.4]).round()
   * // [0, 2, 2]
   * ```
   */
  round(): Tensor;
  /**
   * Cuts off what stands behind the point; the gradient is zero.
   * @example
   * ```ts
   * tensor([1.7, -1.7]).trunc()
   * // [1, -1]
   * ```
   */
  trunc(): Tensor;
  /**
   * True where both elements are equal; NaN equals nothing.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([1, 2]).eq(tensor([1, 3]))
   * // [true, false]
   * ```
   */
  eq(y: Tensor | number): Tensor;
  /**
   * True where the elements differ; NaN differs from everything.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([1, 2]).ne(tensor([1, 3]))
   * // [false, true]
   * ```
   */
  ne(y: Tensor | number): Tensor;
  /**
   * True where the first element is less than the second.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([1, 3]).lt(2)
   * // [true, false]
   * ```
   */
  lt(y: Tensor | number): Tensor;
  /**
   * True where the first element is less than or equal to the second.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([1, 2, 3]).le(2)
   * // [true, true, false]
   * ```
   */
  le(y: Tensor | number): Tensor;
  /**
   * True where the first element is greater than the second.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([1, 3]).gt(2)
   * // [false, true]
   * ```
   */
  gt(y: Tensor | number): Tensor;
  /**
   * True where the first element is greater than or equal to the second.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([1, 2, 3]).ge(2)
   * // [false, true, true]
   * ```
   */
  ge(y: Tensor | number): Tensor;
  /**
   * True where both elements are not zero.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([true, true]).logicalAnd(tensor([true, false]))
   * // [true, false]
   * ```
   */
  logicalAnd(y: Tensor | number): Tensor;
  /**
   * True where at least one element is not zero.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([false, true]).logicalOr(tensor([false, false]))
   * // [false, true]
   * ```
   */
  logicalOr(y: Tensor | number): Tensor;
  /**
   * True where exactly one element is not zero.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([true, true]).logicalXor(tensor([true, false]))
   * // [false, true]
   * ```
   */
  logicalXor(y: Tensor | number): Tensor;
  /**
   * True where the element is zero.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([true, false]).logicalNot()
   * // [false, true]
   * ```
   */
  logicalNot(): Tensor;
  /**
   * True where the element is NaN (not a number).
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([1, NaN]).isnan()
   * // [false, true]
   * ```
   */
  isnan(): Tensor;
  /**
   * True where the element is Infinity or -Infinity.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([1, -Infinity, NaN]).isinf()
   * // [false, true, false]
   * ```
   */
  isinf(): Tensor;
  /**
   * True where the element is neither NaN nor infinite.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([1, Infinity, NaN]).isfinite()
   * // [true, false, false]
   * ```
   */
  isfinite(): Tensor;
  /**
   * Keeps positive elements and replaces the rest with zero; NaN stays NaN. The gradient at zero is zero.
   *
   * Formula: `\max(x, 0)`
   * @example
   * ```ts
   * tensor([-1, 2]).relu()
   * // [0, 2]
   * ```
   */
  relu(): Tensor;
  /**
   * 1 for positive elements, else 0; the gradient is zero.
   * @example
   * ```ts
   * tensor([-1, 0, 2]).step()
   * // [0, 0, 1]
   * ```
   */
  step(): Tensor;
  /**
   * As relu, but negative elements keep a small share, `negativeSlope`, of their value; the gradient at zero is the slope.
   *
   * Defaults: `negativeSlope = 0.01`
   * @example
   * ```ts
   * tensor([-10, 2]).leakyRelu(0.1)
   * // [-1, 2]
   * ```
   */
  leakyRelu(negativeSlope?: number): Tensor;
  /** As relu, but negative elements keep a small share, `negativeSlope`, of their value; the gradient at zero is the slope. */
  leakyRelu(options: { negativeSlope?: number }): Tensor;
  /**
   * As relu, but negative elements become alpha * (exp(x) - 1).
   *
   * Defaults: `alpha = 1`
   * @example
   * ```ts
   * tensor([-1, 2]).elu()
   * // [-0.63212, 2]
   * ```
   */
  elu(alpha?: number): Tensor;
  /** As relu, but negative elements become alpha * (exp(x) - 1). */
  elu(options: { alpha?: number }): Tensor;
  /**
   * elu with the scale and alpha that keep mean 0 and variance 1 from layer to layer.
   * @example
   * ```ts
   * tensor([-1, 2]).selu()
   * // [-1.1113, 2.1014]
   * ```
   */
  selu(): Tensor;
  /**
   * max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
   *
   * Defaults: `alpha = 1`
   * @example
   * ```ts
   * tensor([-1, 2]).celu()
   * // [-0.63212, 2]
   * ```
   */
  celu(alpha?: number): Tensor;
  /** max(0, x) + min(0, alpha * (exp(x / alpha) - 1)). */
  celu(options: { alpha?: number }): Tensor;
  /**
   * x times the share of a normal distribution below x; approximate 'tanh' is the quicker form of GPT-2.
   *
   * Formula: `x \, \Phi(x)`
   *
   * Defaults: `approximate = 'none'`
   * @example
   * ```ts
   * tensor([-1, 2]).gelu()
   * // [-0.15866, 1.9545]
   * ```
   */
  gelu(approximate?: string): Tensor;
  /** x times the share of a normal distribution below x; approximate 'tanh' is the quicker form of GPT-2. */
  gelu(options: { approximate?: string }): Tensor;
  /**
   * x * sigmoid(x), also called swish.
   *
   * Formula: `x \, \sigma(x)`
   * @example
   * ```ts
   * tensor([-1, 2]).silu()
   * // [-0.26894, 1.7616]
   * ```
   */
  silu(): Tensor;
  /**
   * A smooth relu: log(1 + exp(beta * x)) / beta; linear where beta * x is above `threshold`.
   *
   * Formula: `\frac{1}{\beta} \ln(1 + e^{\beta x})`
   *
   * Defaults: `beta = 1, threshold = 20`
   * @example
   * ```ts
   * tensor([0, 2]).softplus()
   * // [0.69315, 2.1269]
   * ```
   */
  softplus(beta?: number, threshold?: number): Tensor;
  /** A smooth relu: log(1 + exp(beta * x)) / beta; linear where beta * x is above `threshold`. */
  softplus(options: { beta?: number; threshold?: number }): Tensor;
  /** A smooth relu: log(1 + exp(beta * x)) / beta; linear where beta * x is above `threshold`. */
  softplus(beta: number, options: { threshold?: number }): Tensor;
  /**
   * x * tanh(softplus(x)).
   * @example
   * ```ts
   * tensor([-1, 2]).mish()
   * // [-0.3034, 1.944]
   * ```
   */
  mish(): Tensor;
  /**
   * log(sigmoid(x)) without overflow.
   * @example
   * ```ts
   * tensor([0, 2]).logSigmoid()
   * // [-0.69315, -0.12693]
   * ```
   */
  logSigmoid(): Tensor;
  /**
   * x / (1 + |x|).
   * @example
   * ```ts
   * tensor([-1, 3]).softsign()
   * // [-0.5, 0.75]
   * ```
   */
  softsign(): Tensor;
  /**
   * Cuts elements to the range from `min` to `max`.
   *
   * Defaults: `min = -1, max = 1`
   * @example
   * ```ts
   * tensor([-3, 0.5, 3]).hardtanh()
   * // [-1, 0.5, 1]
   * ```
   */
  hardtanh(min?: number, max?: number): Tensor;
  /** Cuts elements to the range from `min` to `max`. */
  hardtanh(options: { min?: number; max?: number }): Tensor;
  /** Cuts elements to the range from `min` to `max`. */
  hardtanh(min: number, options: { max?: number }): Tensor;
  /**
   * relu that stops at 6.
   * @example
   * ```ts
   * tensor([-1, 4, 9]).relu6()
   * // [0, 4, 6]
   * ```
   */
  relu6(): Tensor;
  /**
   * A sigmoid of straight lines: 0 below -3, 1 above 3, x / 6 + 1/2 between.
   * @example
   * ```ts
   * tensor([-4, 0, 1.5]).hardsigmoid()
   * // [0, 0.5, 0.75]
   * ```
   */
  hardsigmoid(): Tensor;
  /**
   * x * hardsigmoid(x).
   * @example
   * ```ts
   * tensor([-1.5, 0, 3]).hardswish()
   * // [-0.375, 0, 3]
   * ```
   */
  hardswish(): Tensor;
  /**
   * leakyRelu with a learned slope: one, or one per channel (axis 1).
   * @example
   * ```ts
   * tensor([-10, 2]).prelu(0.1)
   * // [-1, 2]
   * ```
   */
  prelu(weight: Tensor | number): Tensor;
  /**
   * Adds up all elements, or those along `axes`; whole numbers and bools give int32.
   *
   * Formula: `\sum_i x_i`
   *
   * Defaults: `keepDims = false`
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).sum(0)
   * // [4, 6]
   * ```
   */
  sum(axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** Adds up all elements, or those along `axes`; whole numbers and bools give int32. */
  sum(options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** Adds up all elements, or those along `axes`; whole numbers and bools give int32. */
  sum(axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /**
   * Sums over the axes that broadcasting repeated, so that the result has the given shape.
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).sumTo([2])
   * // [4, 6]
   * ```
   */
  sumTo(shape: number | readonly number[]): Tensor;
  /** Sums over the axes that broadcasting repeated, so that the result has the given shape. */
  sumTo(...shape: number[]): Tensor;
  /**
   * Average of all elements, or of those along `axes`; whole numbers give float32. Of nothing it is NaN.
   *
   * Formula: `\frac{1}{n} \sum_i x_i`
   *
   * Defaults: `keepDims = false`
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).mean(1)
   * // [1.5, 3.5]
   * ```
   */
  mean(axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** Average of all elements, or of those along `axes`; whole numbers give float32. Of nothing it is NaN. */
  mean(options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** Average of all elements, or of those along `axes`; whole numbers give float32. Of nothing it is NaN. */
  mean(axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /**
   * The largest element, over all or along `axes`; NaN wins. Equal elements share the gradient.
   *
   * Defaults: `keepDims = false`
   * @example
   * ```ts
   * tensor([[1, 5], [7, 2]]).max(1)
   * // [5, 7]
   * ```
   */
  max(axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** The largest element, over all or along `axes`; NaN wins. Equal elements share the gradient. */
  max(options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** The largest element, over all or along `axes`; NaN wins. Equal elements share the gradient. */
  max(axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /**
   * The smallest element, over all or along `axes`; NaN wins. Equal elements share the gradient.
   *
   * Defaults: `keepDims = false`
   * @example
   * ```ts
   * tensor([[1, 5], [7, 2]]).min(1)
   * // [1, 2]
   * ```
   */
  min(axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** The smallest element, over all or along `axes`; NaN wins. Equal elements share the gradient. */
  min(options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** The smallest element, over all or along `axes`; NaN wins. Equal elements share the gradient. */
  min(axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /**
   * The place of the largest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins.
   *
   * Defaults: `keepDims = false`
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([[1, 5], [7, 2]]).argmax(1)
   * // [1, 0]
   * ```
   */
  argmax(axis?: number, keepDims?: boolean): Tensor;
  /** The place of the largest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins. */
  argmax(options: { axis?: number; keepDims?: boolean }): Tensor;
  /** The place of the largest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins. */
  argmax(axis: number, options: { keepDims?: boolean }): Tensor;
  /**
   * The place of the smallest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins.
   *
   * Defaults: `keepDims = false`
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([[1, 5], [7, 2]]).argmin(1)
   * // [0, 1]
   * ```
   */
  argmin(axis?: number, keepDims?: boolean): Tensor;
  /** The place of the smallest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins. */
  argmin(options: { axis?: number; keepDims?: boolean }): Tensor;
  /** The place of the smallest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins. */
  argmin(axis: number, options: { keepDims?: boolean }): Tensor;
  /**
   * Average squared distance from the mean, divided by n - correction; correction 1 estimates the variance of the source of a sample.
   *
   * Formula: `\frac{1}{n - 1} \sum_i (x_i - \bar x)^2`
   *
   * Defaults: `keepDims = false, correction = 1`
   * @example
   * ```ts
   * tensor([1, 2, 3, 4]).var()
   * // 1.6667
   * ```
   */
  var(axes?: number | readonly number[], keepDims?: boolean, correction?: number): Tensor;
  /** Average squared distance from the mean, divided by n - correction; correction 1 estimates the variance of the source of a sample. */
  var(options: { axes?: number | readonly number[]; keepDims?: boolean; correction?: number }): Tensor;
  /** Average squared distance from the mean, divided by n - correction; correction 1 estimates the variance of the source of a sample. */
  var(axes: number | readonly number[], options: { keepDims?: boolean; correction?: number }): Tensor;
  /**
   * Square root of var: the typical distance from the mean.
   *
   * Defaults: `keepDims = false, correction = 1`
   * @example
   * ```ts
   * tensor([1, 2, 3, 4]).std()
   * // 1.291
   * ```
   */
  std(axes?: number | readonly number[], keepDims?: boolean, correction?: number): Tensor;
  /** Square root of var: the typical distance from the mean. */
  std(options: { axes?: number | readonly number[]; keepDims?: boolean; correction?: number }): Tensor;
  /** Square root of var: the typical distance from the mean. */
  std(axes: number | readonly number[], options: { keepDims?: boolean; correction?: number }): Tensor;
  /**
   * Product of all elements, or of those along `axes`; of nothing it is 1.
   *
   * Defaults: `keepDims = false`
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).prod(1)
   * // [2, 12]
   * ```
   */
  prod(axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** Product of all elements, or of those along `axes`; of nothing it is 1. */
  prod(options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** Product of all elements, or of those along `axes`; of nothing it is 1. */
  prod(axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /**
   * Length of a vector: the p-norm over all elements or along `axes`. The gradient is zero where the norm is zero.
   *
   * Formula: `\left( \sum_i |x_i|^p \right)^{1/p}`
   *
   * Defaults: `p = 2, keepDims = false`
   * @example
   * ```ts
   * tensor([3, 4]).norm()
   * // 5
   * ```
   */
  norm(p?: number, axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** Length of a vector: the p-norm over all elements or along `axes`. The gradient is zero where the norm is zero. */
  norm(options: { p?: number; axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** Length of a vector: the p-norm over all elements or along `axes`. The gradient is zero where the norm is zero. */
  norm(p: number, options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /**
   * True where at least one element is not zero, over all or along `axes`.
   *
   * Defaults: `keepDims = false`
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([[0, 1], [0, 0]]).any(1)
   * // [true, false]
   * ```
   */
  any(axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** True where at least one element is not zero, over all or along `axes`. */
  any(options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** True where at least one element is not zero, over all or along `axes`. */
  any(axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /**
   * True where no element is zero, over all or along `axes`.
   *
   * Defaults: `keepDims = false`
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([[1, 1], [1, 0]]).all(1)
   * // [true, false]
   * ```
   */
  all(axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** True where no element is zero, over all or along `axes`. */
  all(options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** True where no element is zero, over all or along `axes`. */
  all(axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /**
   * Running total along an axis; whole numbers and bools give int32.
   *
   * Formula: `y_i = \sum_{j \le i} x_j`
   * @example
   * ```ts
   * tensor([1, 2, 3]).cumsum(0)
   * // [1, 3, 6]
   * ```
   */
  cumsum(axis: number): Tensor;
  /**
   * Running product along an axis.
   *
   * Formula: `y_i = \prod_{j \le i} x_j`
   * @example
   * ```ts
   * tensor([1, 2, 3]).cumprod(0)
   * // [1, 2, 6]
   * ```
   */
  cumprod(axis: number): Tensor;
  /**
   * The places of the elements in rising order along an axis; equal elements keep their order, NaN counts as largest.
   *
   * Defaults: `axis = -1, descending = false`
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([3, 1, 2]).argsort()
   * // [1, 2, 0]
   * ```
   */
  argsort(axis?: number, descending?: boolean): Tensor;
  /** The places of the elements in rising order along an axis; equal elements keep their order, NaN counts as largest. */
  argsort(options: { axis?: number; descending?: boolean }): Tensor;
  /** The places of the elements in rising order along an axis; equal elements keep their order, NaN counts as largest. */
  argsort(axis: number, options: { descending?: boolean }): Tensor;
  /**
   * The elements in rising order along an axis; NaN counts as largest. Their places: argsort.
   *
   * Defaults: `axis = -1, descending = false`
   * @example
   * ```ts
   * tensor([3, 1, 2]).sort()
   * // [1, 2, 3]
   * ```
   */
  sort(axis?: number, descending?: boolean): Tensor;
  /** The elements in rising order along an axis; NaN counts as largest. Their places: argsort. */
  sort(options: { axis?: number; descending?: boolean }): Tensor;
  /** The elements in rising order along an axis; NaN counts as largest. Their places: argsort. */
  sort(axis: number, options: { descending?: boolean }): Tensor;
  /**
   * The k largest elements along an axis, the largest first (or the smallest, with largest = false). Their places: topkIndices.
   *
   * Defaults: `axis = -1, largest = true`
   * @example
   * ```ts
   * tensor([3, 1, 2]).topk(2)
   * // [3, 2]
   * ```
   */
  topk(k: number, axis?: number, largest?: boolean): Tensor;
  /** The k largest elements along an axis, the largest first (or the smallest, with largest = false). Their places: topkIndices. */
  topk(k: number, options: { axis?: number; largest?: boolean }): Tensor;
  /** The k largest elements along an axis, the largest first (or the smallest, with largest = false). Their places: topkIndices. */
  topk(k: number, axis: number, options: { largest?: boolean }): Tensor;
  /**
   * The places of the k largest (smallest) elements along an axis.
   *
   * Defaults: `axis = -1, largest = true`
   * @example
   * ```ts
   * tensor([3, 1, 2]).topkIndices(2)
   * // [0, 2]
   * ```
   */
  topkIndices(k: number, axis?: number, largest?: boolean): Tensor;
  /** The places of the k largest (smallest) elements along an axis. */
  topkIndices(k: number, options: { axis?: number; largest?: boolean }): Tensor;
  /** The places of the k largest (smallest) elements along an axis. */
  topkIndices(k: number, axis: number, options: { largest?: boolean }): Tensor;
  /**
   * The different values of a tensor, in rising order.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([3, 1, 3]).unique()
   * // [1, 3]
   * ```
   */
  unique(): Tensor;
  /**
   * How often each of the values of unique is there.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([3, 1, 3]).uniqueCounts()
   * // [1, 2]
   * ```
   */
  uniqueCounts(): Tensor;
  /**
   * How often each whole number from 0 on is there; the result is at least `minLength` long.
   *
   * Defaults: `minLength = 0`
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([0, 2, 2]).bincount()
   * // [1, 0, 2]
   * ```
   */
  bincount(minLength?: number): Tensor;
  /** How often each whole number from 0 on is there; the result is at least `minLength` long. */
  bincount(options: { minLength?: number }): Tensor;
  /**
   * Matrix product over the last two axes; leading axes broadcast, and a vector is a row on the left, a column on the right.
   *
   * Formula: `C_{ij} = \sum_k A_{ik} B_{kj}`
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).matmul(tensor([[1], [10]]))
   * // [[21], [43]]
   * ```
   */
  matmul(y: Tensor): Tensor;
  /**
   * A fully connected layer: x times the transposed weight (out features, in features), plus the bias. Acts on the last axis.
   *
   * Formula: `x W^\top + b`
   * @example
   * ```ts
   * tensor([1, 2]).linear(tensor([[1, 1], [0, 3]]), tensor([10, 20]))
   * // [13, 26]
   * ```
   */
  linear(weight: Tensor, bias?: Tensor | null): Tensor;
  /** A fully connected layer: x times the transposed weight (out features, in features), plus the bias. Acts on the last axis. */
  linear(weight: Tensor, options: { bias?: Tensor }): Tensor;
  /**
   * matmul of two batches of matrices: (batch, m, k) times (batch, k, n).
   * @example
   * ```ts
   * tensor([[[1, 2]]]).bmm(tensor([[[3], [4]]]))
   * // [[[11]]]
   * ```
   */
  bmm(y: Tensor): Tensor;
  /**
   * Sum of the products of two vectors.
   * @example
   * ```ts
   * tensor([1, 2]).dot(tensor([3, 4]))
   * // 11
   * ```
   */
  dot(y: Tensor): Tensor;
  /**
   * Table of the products of every element of one vector with every element of another.
   * @example
   * ```ts
   * tensor([1, 2]).outer(tensor([3, 4]))
   * // [[3, 4], [6, 8]]
   * ```
   */
  outer(y: Tensor): Tensor;
  /**
   * The lower triangle of matrices: zero where the column is more than `diagonal` behind the row.
   *
   * Defaults: `diagonal = 0`
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).tril()
   * // [[1, 0], [3, 4]]
   * ```
   */
  tril(diagonal?: number): Tensor;
  /** The lower triangle of matrices: zero where the column is more than `diagonal` behind the row. */
  tril(options: { diagonal?: number }): Tensor;
  /**
   * The upper triangle of matrices: zero where the column is less than `diagonal` behind the row.
   *
   * Defaults: `diagonal = 0`
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).triu()
   * // [[1, 2], [0, 4]]
   * ```
   */
  triu(diagonal?: number): Tensor;
  /** The upper triangle of matrices: zero where the column is less than `diagonal` behind the row. */
  triu(options: { diagonal?: number }): Tensor;
  /**
   * The diagonal of a matrix, or the matrix with this diagonal and zeros elsewhere.
   *
   * Defaults: `diagonal = 0`
   * @example
   * ```ts
   * tensor([1, 2]).diag()
   * // [[1, 0], [0, 2]]
   * ```
   */
  diag(diagonal?: number): Tensor;
  /** The diagonal of a matrix, or the matrix with this diagonal and zeros elsewhere. */
  diag(options: { diagonal?: number }): Tensor;
  /**
   * Sum of the diagonal of a matrix.
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).trace()
   * // 5
   * ```
   */
  trace(): Tensor;
  /**
   * The x with a x = b, for square matrices a and a vector or matrix b; leading axes broadcast.
   * @example
   * ```ts
   * tensor([[2, 0], [0, 4]]).solve(tensor([2, 8]))
   * // [1, 2]
   * ```
   */
  solve(b: Tensor): Tensor;
  /**
   * The matrix that undoes this one.
   * @example
   * ```ts
   * tensor([[2, 0], [0, 4]]).inverse()
   * // [[0.5, 0], [0, 0.25]]
   * ```
   */
  inverse(): Tensor;
  /**
   * Determinant: by how much a matrix scales volumes.
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).det()
   * // -2
   * ```
   */
  det(): Tensor;
  /**
   * The lower triangular L with L times its transpose equal to a symmetric positive definite matrix.
   * @example
   * ```ts
   * tensor([[4, 2], [2, 5]]).cholesky()
   * // [[2, 0], [1, 2]]
   * ```
   */
  cholesky(): Tensor;
  /**
   * The Q of A = Q R: columns of length 1 at right angles.
   * @example
   * ```ts
   * tensor([[0, 2], [3, 0]]).qrQ().abs()
   * // [[0, 1], [1, 0]]
   * ```
   */
  qrQ(): Tensor;
  /**
   * The R of A = Q R: upper triangular.
   * @example
   * ```ts
   * tensor([[0, 2], [3, 0]]).qrR().abs()
   * // [[3, 0], [0, 2]]
   * ```
   */
  qrR(): Tensor;
  /**
   * Slides filters (out channels, channels / groups, height, width) over images (batch, channels, height, width); bias adds one number per out channel.
   *
   * Formula: `y_{n,o,p} = b_o + \sum_{c,k} x_{n,c,\,p s - \text{pad} + k d} \; w_{o,c,k}`
   *
   * Defaults: `stride = [1], padding = [0], dilation = [1], groups = 1`
   * @example
   * ```ts
   * tensor([[[[1, 2], [3, 4]]]]).conv2d(tensor([[[[1, 1]]]]))
   * // [[[[3], [7]]]]
   * ```
   */
  conv2d(weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** Slides filters (out channels, channels / groups, height, width) over images (batch, channels, height, width); bias adds one number per out channel. */
  conv2d(weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Slides filters (out channels, channels / groups, height, width) over images (batch, channels, height, width); bias adds one number per out channel. */
  conv2d(weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /**
   * Slides filters (out channels, channels / groups, length) over sequences (batch, channels, length).
   *
   * Defaults: `stride = [1], padding = [0], dilation = [1], groups = 1`
   * @example
   * ```ts
   * tensor([[[1, 2, 3]]]).conv1d(tensor([[[1, 1]]]))
   * // [[[3, 5]]]
   * ```
   */
  conv1d(weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** Slides filters (out channels, channels / groups, length) over sequences (batch, channels, length). */
  conv1d(weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Slides filters (out channels, channels / groups, length) over sequences (batch, channels, length). */
  conv1d(weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /**
   * Slides filters (out channels, channels / groups, depth, height, width) over volumes (batch, channels, depth, height, width).
   *
   * Defaults: `stride = [1], padding = [0], dilation = [1], groups = 1`
   * @example
   * ```ts
   * tensor([[[[[1, 2]], [[3, 4]]]]]).conv3d(tensor([[[[[1]], [[1]]]]]))
   * // [[[[[4, 6]]]]]
   * ```
   */
  conv3d(weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** Slides filters (out channels, channels / groups, depth, height, width) over volumes (batch, channels, depth, height, width). */
  conv3d(weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Slides filters (out channels, channels / groups, depth, height, width) over volumes (batch, channels, depth, height, width). */
  conv3d(weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /**
   * Turns small images into larger ones: what conv2d with this filter does to its gradient. The filter is (channels, out channels / groups, height, width).
   *
   * Defaults: `stride = [1], padding = [0], outputPadding = [0], dilation = [1], groups = 1`
   * @example
   * ```ts
   * tensor([[[[1, 2]]]]).convTranspose2d(tensor([[[[1, 10]]]]), { stride: 2 })
   * // [[[[1, 10, 2, 20]]]]
   * ```
   */
  convTranspose2d(weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** Turns small images into larger ones: what conv2d with this filter does to its gradient. The filter is (channels, out channels / groups, height, width). */
  convTranspose2d(weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Turns small images into larger ones: what conv2d with this filter does to its gradient. The filter is (channels, out channels / groups, height, width). */
  convTranspose2d(weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /**
   * convTranspose2d for sequences (batch, channels, length).
   *
   * Defaults: `stride = [1], padding = [0], outputPadding = [0], dilation = [1], groups = 1`
   * @example
   * ```ts
   * tensor([[[1, 2]]]).convTranspose1d(tensor([[[1, 10]]]), { stride: 2 })
   * // [[[1, 10, 2, 20]]]
   * ```
   */
  convTranspose1d(weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** convTranspose2d for sequences (batch, channels, length). */
  convTranspose1d(weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** convTranspose2d for sequences (batch, channels, length). */
  convTranspose1d(weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /**
   * convTranspose2d for volumes (batch, channels, depth, height, width).
   *
   * Defaults: `stride = [1], padding = [0], outputPadding = [0], dilation = [1], groups = 1`
   * @example
   * ```ts
   * tensor([[[[[1, 2]]]]]).convTranspose3d(tensor([[[[[1, 10]]]]]), { stride: 2 })
   * // [[[[[1, 10, 2, 20]]]]]
   * ```
   */
  convTranspose3d(weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** convTranspose2d for volumes (batch, channels, depth, height, width). */
  convTranspose3d(weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** convTranspose2d for volumes (batch, channels, depth, height, width). */
  convTranspose3d(weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /**
   * The largest element of each window; `stride` is the window's size when left out. Where several are equal, the first gets the gradient; NaN wins.
   *
   * Defaults: `padding = [0], dilation = [1], ceilMode = false`
   * @example
   * ```ts
   * tensor([[[[1, 2], [4, 3]]]]).maxPool2d(2)
   * // [[[[4]]]]
   * ```
   */
  maxPool2d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean): Tensor;
  /** The largest element of each window; `stride` is the window's size when left out. Where several are equal, the first gets the gradient; NaN wins. */
  maxPool2d(kernelSize: number | readonly number[], options: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /** The largest element of each window; `stride` is the window's size when left out. Where several are equal, the first gets the gradient; NaN wins. */
  maxPool2d(kernelSize: number | readonly number[], stride: number | readonly number[], options: { padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /**
   * The average of each window; padding counts as zeros unless `countIncludePad` is false.
   *
   * Defaults: `padding = [0], ceilMode = false, countIncludePad = true`
   * @example
   * ```ts
   * tensor([[[[1, 2], [4, 3]]]]).avgPool2d(2)
   * // [[[[2.5]]]]
   * ```
   */
  avgPool2d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean): Tensor;
  /** The average of each window; padding counts as zeros unless `countIncludePad` is false. */
  avgPool2d(kernelSize: number | readonly number[], options: { stride?: number | readonly number[]; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean }): Tensor;
  /** The average of each window; padding counts as zeros unless `countIncludePad` is false. */
  avgPool2d(kernelSize: number | readonly number[], stride: number | readonly number[], options: { padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean }): Tensor;
  /**
   * maxPool2d for sequences (batch, channels, length).
   *
   * Defaults: `padding = [0], dilation = [1], ceilMode = false`
   * @example
   * ```ts
   * tensor([[[1, 3, 2, 5]]]).maxPool1d(2)
   * // [[[3, 5]]]
   * ```
   */
  maxPool1d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean): Tensor;
  /** maxPool2d for sequences (batch, channels, length). */
  maxPool1d(kernelSize: number | readonly number[], options: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /** maxPool2d for sequences (batch, channels, length). */
  maxPool1d(kernelSize: number | readonly number[], stride: number | readonly number[], options: { padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /**
   * avgPool2d for sequences (batch, channels, length).
   *
   * Defaults: `padding = [0], ceilMode = false, countIncludePad = true`
   * @example
   * ```ts
   * tensor([[[1, 3, 2, 5]]]).avgPool1d(2)
   * // [[[2, 3.5]]]
   * ```
   */
  avgPool1d(kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean): Tensor;
  /** avgPool2d for sequences (batch, channels, length). */
  avgPool1d(kernelSize: number | readonly number[], options: { stride?: number | readonly number[]; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean }): Tensor;
  /** avgPool2d for sequences (batch, channels, length). */
  avgPool1d(kernelSize: number | readonly number[], stride: number | readonly number[], options: { padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean }): Tensor;
  /**
   * Averages over as many even parts of height and width as `outputSize` says, whatever the image's size.
   * @example
   * ```ts
   * tensor([[[[1, 2], [4, 3]]]]).adaptiveAvgPool2d(1)
   * // [[[[2.5]]]]
   * ```
   */
  adaptiveAvgPool2d(outputSize: number | readonly number[]): Tensor;
  /** Averages over as many even parts of height and width as `outputSize` says, whatever the image's size. */
  adaptiveAvgPool2d(...outputSize: number[]): Tensor;
  /**
   * adaptiveAvgPool2d for sequences (batch, channels, length).
   * @example
   * ```ts
   * tensor([[[1, 3, 2, 4]]]).adaptiveAvgPool1d(2)
   * // [[[2, 3]]]
   * ```
   */
  adaptiveAvgPool1d(outputSize: number | readonly number[]): Tensor;
  /** adaptiveAvgPool2d for sequences (batch, channels, length). */
  adaptiveAvgPool1d(...outputSize: number[]): Tensor;
  /**
   * The largest element of as many even parts of height and width as `outputSize` says. Equal elements share the gradient.
   * @example
   * ```ts
   * tensor([[[[1, 2], [4, 3]]]]).adaptiveMaxPool2d(1)
   * // [[[[4]]]]
   * ```
   */
  adaptiveMaxPool2d(outputSize: number | readonly number[]): Tensor;
  /** The largest element of as many even parts of height and width as `outputSize` says. Equal elements share the gradient. */
  adaptiveMaxPool2d(...outputSize: number[]): Tensor;
  /**
   * adaptiveMaxPool2d for sequences (batch, channels, length).
   * @example
   * ```ts
   * tensor([[[1, 3, 2, 4]]]).adaptiveMaxPool1d(2)
   * // [[[3, 4]]]
   * ```
   */
  adaptiveMaxPool1d(outputSize: number | readonly number[]): Tensor;
  /** adaptiveMaxPool2d for sequences (batch, channels, length). */
  adaptiveMaxPool1d(...outputSize: number[]): Tensor;
  /**
   * Images, sequences or volumes at another size, by 'nearest', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area'; `alignCorners` keeps the outermost elements in place.
   *
   * Defaults: `mode = 'nearest', alignCorners = false`
   * @example
   * ```ts
   * tensor([[[1, 3]]]).interpolate({ scaleFactor: 2, mode: 'linear' })
   * // [[[1, 1.5, 2.5, 3]]]
   * ```
   */
  interpolate(size?: number | readonly number[], scaleFactor?: number | readonly number[], mode?: string, alignCorners?: boolean): Tensor;
  /** Images, sequences or volumes at another size, by 'nearest', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area'; `alignCorners` keeps the outermost elements in place. */
  interpolate(options: { size?: number | readonly number[]; scaleFactor?: number | readonly number[]; mode?: string; alignCorners?: boolean }): Tensor;
  /** Images, sequences or volumes at another size, by 'nearest', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area'; `alignCorners` keeps the outermost elements in place. */
  interpolate(size: number | readonly number[], options: { scaleFactor?: number | readonly number[]; mode?: string; alignCorners?: boolean }): Tensor;
  /**
   * All windows of images as columns: (batch, channels * window, places). A convolution is a matrix product with them.
   *
   * Defaults: `dilation = [1], padding = [0], stride = [1]`
   * @example
   * ```ts
   * tensor([[[[1, 2, 3]]]]).unfold([1, 2])
   * // [[[1, 2], [2, 3]]]
   * ```
   */
  unfold(kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]): Tensor;
  /** All windows of images as columns: (batch, channels * window, places). A convolution is a matrix product with them. */
  unfold(kernelSize: number | readonly number[], options: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  /** All windows of images as columns: (batch, channels * window, places). A convolution is a matrix product with them. */
  unfold(kernelSize: number | readonly number[], dilation: number | readonly number[], options: { padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  /**
   * Puts columns of windows back into images of `outputSize`; where windows overlap, they add up.
   *
   * Defaults: `dilation = [1], padding = [0], stride = [1]`
   * @example
   * ```ts
   * tensor([[[1, 2], [2, 3]]]).fold([1, 3], [1, 2])
   * // [[[[1, 4, 3]]]]
   * ```
   */
  fold(outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]): Tensor;
  /** Puts columns of windows back into images of `outputSize`; where windows overlap, they add up. */
  fold(outputSize: number | readonly number[], kernelSize: number | readonly number[], options: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  /** Puts columns of windows back into images of `outputSize`; where windows overlap, they add up. */
  fold(outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation: number | readonly number[], options: { padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  /**
   * Turns numbers into shares that add up to 1 along an axis: exp(x) divided by its sum.
   *
   * Formula: `s_i = \frac{e^{x_i}}{\sum_j e^{x_j}}`
   *
   * Defaults: `axis = -1`
   * @example
   * ```ts
   * tensor([0, 0, 0, 0]).softmax()
   * // [0.25, 0.25, 0.25, 0.25]
   * ```
   */
  softmax(axis?: number): Tensor;
  /** Turns numbers into shares that add up to 1 along an axis: exp(x) divided by its sum. */
  softmax(options: { axis?: number }): Tensor;
  /**
   * Logarithm of softmax, exact also where softmax itself would be 0.
   *
   * Formula: `x_i - \ln \sum_j e^{x_j}`
   *
   * Defaults: `axis = -1`
   * @example
   * ```ts
   * tensor([0, 0]).logSoftmax()
   * // [-0.69315, -0.69315]
   * ```
   */
  logSoftmax(axis?: number): Tensor;
  /** Logarithm of softmax, exact also where softmax itself would be 0. */
  logSoftmax(options: { axis?: number }): Tensor;
  /**
   * softmax of the negative: small numbers get the large shares.
   *
   * Defaults: `axis = -1`
   * @example
   * ```ts
   * tensor([0, 0]).softmin()
   * // [0.5, 0.5]
   * ```
   */
  softmin(axis?: number): Tensor;
  /** softmax of the negative: small numbers get the large shares. */
  softmin(options: { axis?: number }): Tensor;
  /**
   * log(sum(exp(x))) without overflow, over all elements or along `axes`.
   *
   * Formula: `\ln \sum_i e^{x_i}`
   *
   * Defaults: `keepDims = false`
   * @example
   * ```ts
   * tensor([1000, 1000]).logSumExp()
   * // 1000.7
   * ```
   */
  logSumExp(axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** log(sum(exp(x))) without overflow, over all elements or along `axes`. */
  logSumExp(options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** log(sum(exp(x))) without overflow, over all elements or along `axes`. */
  logSumExp(axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /**
   * How surprised a classifier is by the truth. Logits (batch, classes, ...) against class ids (batch, ...) or probabilities of the logits' shape; softmax is part of the loss. Ids equal to `ignoreIndex` do not count.
   *
   * Formula: `-\ln \frac{e^{x_y}}{\sum_j e^{x_j}}`
   *
   * Defaults: `reduction = 'mean', ignoreIndex = -100, labelSmoothing = 0`
   * @example
   * ```ts
   * tensor([[2, 0], [0, 2]]).crossEntropy(tensor([0, 1]))
   * // 0.12693
   * ```
   */
  crossEntropy(target: Tensor, weight?: Tensor | null, reduction?: string, ignoreIndex?: number, labelSmoothing?: number): Tensor;
  /** How surprised a classifier is by the truth. Logits (batch, classes, ...) against class ids (batch, ...) or probabilities of the logits' shape; softmax is part of the loss. Ids equal to `ignoreIndex` do not count. */
  crossEntropy(target: Tensor, options: { weight?: Tensor; reduction?: string; ignoreIndex?: number; labelSmoothing?: number }): Tensor;
  /** How surprised a classifier is by the truth. Logits (batch, classes, ...) against class ids (batch, ...) or probabilities of the logits' shape; softmax is part of the loss. Ids equal to `ignoreIndex` do not count. */
  crossEntropy(target: Tensor, weight: Tensor | null | undefined, options: { reduction?: string; ignoreIndex?: number; labelSmoothing?: number }): Tensor;
  /**
   * crossEntropy for log-probabilities, the result of logSoftmax.
   *
   * Defaults: `reduction = 'mean', ignoreIndex = -100`
   * @example
   * ```ts
   * tensor([[-0.5, -2]]).nll(tensor([1]))
   * // 2
   * ```
   */
  nll(target: Tensor, weight?: Tensor | null, reduction?: string, ignoreIndex?: number): Tensor;
  /** crossEntropy for log-probabilities, the result of logSoftmax. */
  nll(target: Tensor, options: { weight?: Tensor; reduction?: string; ignoreIndex?: number }): Tensor;
  /** crossEntropy for log-probabilities, the result of logSoftmax. */
  nll(target: Tensor, weight: Tensor | null | undefined, options: { reduction?: string; ignoreIndex?: number }): Tensor;
  /**
   * Mean squared error: the average of the squared differences.
   *
   * Formula: `\frac{1}{n} \sum_i (x_i - y_i)^2`
   *
   * Defaults: `reduction = 'mean'`
   * @example
   * ```ts
   * tensor([1, 2]).mse(tensor([1, 4]))
   * // 2
   * ```
   */
  mse(target: Tensor | number, reduction?: string): Tensor;
  /** Mean squared error: the average of the squared differences. */
  mse(target: Tensor | number, options: { reduction?: string }): Tensor;
  /**
   * Mean absolute error: the average of the differences without their signs.
   *
   * Formula: `\frac{1}{n} \sum_i |x_i - y_i|`
   *
   * Defaults: `reduction = 'mean'`
   * @example
   * ```ts
   * tensor([1, 2]).l1(tensor([1, 4]))
   * // 1
   * ```
   */
  l1(target: Tensor | number, reduction?: string): Tensor;
  /** Mean absolute error: the average of the differences without their signs. */
  l1(target: Tensor | number, options: { reduction?: string }): Tensor;
  /**
   * l1 with a rounded bottom: squared below `beta`, straight above.
   *
   * Defaults: `reduction = 'mean', beta = 1`
   * @example
   * ```ts
   * tensor([0, 0]).smoothL1(tensor([0.5, 3]))
   * // 1.3125
   * ```
   */
  smoothL1(target: Tensor | number, reduction?: string, beta?: number): Tensor;
  /** l1 with a rounded bottom: squared below `beta`, straight above. */
  smoothL1(target: Tensor | number, options: { reduction?: string; beta?: number }): Tensor;
  /** l1 with a rounded bottom: squared below `beta`, straight above. */
  smoothL1(target: Tensor | number, reduction: string, options: { beta?: number }): Tensor;
  /**
   * Half the squared difference below `delta`, a straight line above it.
   *
   * Defaults: `reduction = 'mean', delta = 1`
   * @example
   * ```ts
   * tensor([0, 0]).huber(tensor([0.5, 3]))
   * // 1.3125
   * ```
   */
  huber(target: Tensor | number, reduction?: string, delta?: number): Tensor;
  /** Half the squared difference below `delta`, a straight line above it. */
  huber(target: Tensor | number, options: { reduction?: string; delta?: number }): Tensor;
  /** Half the squared difference below `delta`, a straight line above it. */
  huber(target: Tensor | number, reduction: string, options: { delta?: number }): Tensor;
  /**
   * Binary cross-entropy of probabilities against targets from 0 to 1; logarithms are cut at -100.
   *
   * Defaults: `reduction = 'mean'`
   * @example
   * ```ts
   * tensor([0.5, 0.9]).bce(tensor([0, 1]))
   * // 0.39925
   * ```
   */
  bce(target: Tensor | number, weight?: Tensor | number | null, reduction?: string): Tensor;
  /** Binary cross-entropy of probabilities against targets from 0 to 1; logarithms are cut at -100. */
  bce(target: Tensor | number, options: { weight?: Tensor | number; reduction?: string }): Tensor;
  /** Binary cross-entropy of probabilities against targets from 0 to 1; logarithms are cut at -100. */
  bce(target: Tensor | number, weight: Tensor | number | null | undefined, options: { reduction?: string }): Tensor;
  /**
   * bce of sigmoid(logits), exact also for large logits; `posWeight` weighs the positive targets.
   *
   * Defaults: `reduction = 'mean'`
   * @example
   * ```ts
   * tensor([0, 2]).bceWithLogits(tensor([0, 1]))
   * // 0.41004
   * ```
   */
  bceWithLogits(target: Tensor | number, weight?: Tensor | number | null, posWeight?: Tensor | number | null, reduction?: string): Tensor;
  /** bce of sigmoid(logits), exact also for large logits; `posWeight` weighs the positive targets. */
  bceWithLogits(target: Tensor | number, options: { weight?: Tensor | number; posWeight?: Tensor | number; reduction?: string }): Tensor;
  /** bce of sigmoid(logits), exact also for large logits; `posWeight` weighs the positive targets. */
  bceWithLogits(target: Tensor | number, weight: Tensor | number | null | undefined, options: { posWeight?: Tensor | number; reduction?: string }): Tensor;
  /**
   * Kullback-Leibler divergence of target probabilities from log-probabilities; reduction 'batchmean' divides by the batch size.
   *
   * Defaults: `reduction = 'mean', logTarget = false`
   * @example
   * ```ts
   * tensor([-1, -1]).klDiv(tensor([0.5, 0.5]), { reduction: 'sum' })
   * // 0.30685
   * ```
   */
  klDiv(target: Tensor | number, reduction?: string, logTarget?: boolean): Tensor;
  /** Kullback-Leibler divergence of target probabilities from log-probabilities; reduction 'batchmean' divides by the batch size. */
  klDiv(target: Tensor | number, options: { reduction?: string; logTarget?: boolean }): Tensor;
  /** Kullback-Leibler divergence of target probabilities from log-probabilities; reduction 'batchmean' divides by the batch size. */
  klDiv(target: Tensor | number, reduction: string, options: { logTarget?: boolean }): Tensor;
  /**
   * x where the target is 1, max(0, margin - x) where it is -1.
   *
   * Defaults: `reduction = 'mean', margin = 1`
   * @example
   * ```ts
   * tensor([0.5, 0.5]).hingeEmbedding(tensor([1, -1]))
   * // 0.5
   * ```
   */
  hingeEmbedding(target: Tensor | number, reduction?: string, margin?: number): Tensor;
  /** x where the target is 1, max(0, margin - x) where it is -1. */
  hingeEmbedding(target: Tensor | number, options: { reduction?: string; margin?: number }): Tensor;
  /** x where the target is 1, max(0, margin - x) where it is -1. */
  hingeEmbedding(target: Tensor | number, reduction: string, options: { margin?: number }): Tensor;
  /**
   * The hinge loss of a classifier: how far the scores of other classes come within `margin` of the score of the target class, averaged over classes.
   *
   * Formula: `\frac{1}{n} \sum_{i \neq y} \max(0, m - x_y + x_i)^p`
   *
   * Defaults: `reduction = 'mean', margin = 1, p = 1`
   * @example
   * ```ts
   * tensor([[2, 1.5, 0]]).multiMargin(tensor([0]))
   * // 0.16667
   * ```
   */
  multiMargin(target: Tensor, weight?: Tensor | null, reduction?: string, margin?: number, p?: number): Tensor;
  /** The hinge loss of a classifier: how far the scores of other classes come within `margin` of the score of the target class, averaged over classes. */
  multiMargin(target: Tensor, options: { weight?: Tensor; reduction?: string; margin?: number; p?: number }): Tensor;
  /** The hinge loss of a classifier: how far the scores of other classes come within `margin` of the score of the target class, averaged over classes. */
  multiMargin(target: Tensor, weight: Tensor | null | undefined, options: { reduction?: string; margin?: number; p?: number }): Tensor;
  /**
   * max(0, margin - target * (x - y)): target 1 wants x above y, -1 wants it below.
   *
   * Defaults: `reduction = 'mean', margin = 0`
   * @example
   * ```ts
   * tensor([1, 2]).marginRanking(tensor([0, 3]), tensor([1, 1]))
   * // 0.5
   * ```
   */
  marginRanking(y: Tensor | number, target: Tensor | number, reduction?: string, margin?: number): Tensor;
  /** max(0, margin - target * (x - y)): target 1 wants x above y, -1 wants it below. */
  marginRanking(y: Tensor | number, target: Tensor | number, options: { reduction?: string; margin?: number }): Tensor;
  /** max(0, margin - target * (x - y)): target 1 wants x above y, -1 wants it below. */
  marginRanking(y: Tensor | number, target: Tensor | number, reduction: string, options: { margin?: number }): Tensor;
  /**
   * Cosine of the angle between two vectors along an axis.
   *
   * Defaults: `axis = 1, eps = 1e-08`
   * @example
   * ```ts
   * tensor([1, 0]).cosineSimilarity(tensor([1, 1]), 0)
   * // 0.70711
   * ```
   */
  cosineSimilarity(y: Tensor | number, axis?: number, eps?: number): Tensor;
  /** Cosine of the angle between two vectors along an axis. */
  cosineSimilarity(y: Tensor | number, options: { axis?: number; eps?: number }): Tensor;
  /** Cosine of the angle between two vectors along an axis. */
  cosineSimilarity(y: Tensor | number, axis: number, options: { eps?: number }): Tensor;
  /**
   * 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1.
   *
   * Defaults: `reduction = 'mean', margin = 0`
   * @example
   * ```ts
   * tensor([[1, 0]]).cosineEmbedding(tensor([[0, 1]]), tensor([1]))
   * // 1
   * ```
   */
  cosineEmbedding(y: Tensor, target: Tensor | number, reduction?: string, margin?: number): Tensor;
  /** 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1. */
  cosineEmbedding(y: Tensor, target: Tensor | number, options: { reduction?: string; margin?: number }): Tensor;
  /** 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1. */
  cosineEmbedding(y: Tensor, target: Tensor | number, reduction: string, options: { margin?: number }): Tensor;
  /**
   * max(0, distance to the positive - distance to the negative + margin).
   *
   * Defaults: `reduction = 'mean', margin = 1, p = 2`
   * @example
   * ```ts
   * tensor([[0, 0]]).tripletMargin(tensor([[0, 1]]), tensor([[0, 3]]))
   * // 0
   * ```
   */
  tripletMargin(positive: Tensor, negative: Tensor, reduction?: string, margin?: number, p?: number): Tensor;
  /** max(0, distance to the positive - distance to the negative + margin). */
  tripletMargin(positive: Tensor, negative: Tensor, options: { reduction?: string; margin?: number; p?: number }): Tensor;
  /** max(0, distance to the positive - distance to the negative + margin). */
  tripletMargin(positive: Tensor, negative: Tensor, reduction: string, options: { margin?: number; p?: number }): Tensor;
  /**
   * Loss for counts: the prediction is the logarithm of the expected count, or the count itself when `logInput` is false.
   *
   * Defaults: `reduction = 'mean', logInput = true`
   * @example
   * ```ts
   * tensor([0, 1]).poissonNll(tensor([1, 2]))
   * // 0.85914
   * ```
   */
  poissonNll(target: Tensor | number, reduction?: string, logInput?: boolean): Tensor;
  /** Loss for counts: the prediction is the logarithm of the expected count, or the count itself when `logInput` is false. */
  poissonNll(target: Tensor | number, options: { reduction?: string; logInput?: boolean }): Tensor;
  /** Loss for counts: the prediction is the logarithm of the expected count, or the count itself when `logInput` is false. */
  poissonNll(target: Tensor | number, reduction: string, options: { logInput?: boolean }): Tensor;
  /**
   * Connectionist temporal classification: log-probabilities (time, batch, classes) against shorter targets (batch, longest target), over all ways to spread them over time with blanks between. The mean divides each loss by the length of its target; a target without time enough costs Infinity, or with `zeroInfinity` 0.
   *
   * Formula: `-\ln \sum_{\pi \to y} \prod_t p_t(\pi_t)`
   *
   * Defaults: `blank = 0, reduction = 'mean', zeroInfinity = false`
   * @example
   * ```ts
   * tensor([[[-1, -0.5]], [[-0.5, -1]]]).ctcLoss(tensor([[1]]))
   * // 0.31973
   * ```
   */
  ctcLoss(target: Tensor, inputLengths?: number | readonly number[], targetLengths?: number | readonly number[], blank?: number, reduction?: string, zeroInfinity?: boolean): Tensor;
  /** Connectionist temporal classification: log-probabilities (time, batch, classes) against shorter targets (batch, longest target), over all ways to spread them over time with blanks between. The mean divides each loss by the length of its target; a target without time enough costs Infinity, or with `zeroInfinity` 0. */
  ctcLoss(target: Tensor, options: { inputLengths?: number | readonly number[]; targetLengths?: number | readonly number[]; blank?: number; reduction?: string; zeroInfinity?: boolean }): Tensor;
  /** Connectionist temporal classification: log-probabilities (time, batch, classes) against shorter targets (batch, longest target), over all ways to spread them over time with blanks between. The mean divides each loss by the length of its target; a target without time enough costs Infinity, or with `zeroInfinity` 0. */
  ctcLoss(target: Tensor, inputLengths: number | readonly number[], options: { targetLengths?: number | readonly number[]; blank?: number; reduction?: string; zeroInfinity?: boolean }): Tensor;
  /**
   * Brings every channel to mean 0 and variance 1: over the batch while training (the running averages are then updated in place), else by the running averages.
   *
   * Formula: `\frac{x - \mu}{\sqrt{\sigma^2 + \epsilon}} \, w + b`
   *
   * Defaults: `training = false, momentum = 0.1, eps = 1e-05`
   * @example
   * ```ts
   * tensor([[1], [3]]).batchNorm({ training: true, eps: 0 })
   * // [[-1], [1]]
   * ```
   */
  batchNorm(runningMean?: Tensor | null, runningVar?: Tensor | null, weight?: Tensor | null, bias?: Tensor | null, training?: boolean, momentum?: number, eps?: number): Tensor;
  /** Brings every channel to mean 0 and variance 1: over the batch while training (the running averages are then updated in place), else by the running averages. */
  batchNorm(options: { runningMean?: Tensor; runningVar?: Tensor; weight?: Tensor; bias?: Tensor; training?: boolean; momentum?: number; eps?: number }): Tensor;
  /** Brings every channel to mean 0 and variance 1: over the batch while training (the running averages are then updated in place), else by the running averages. */
  batchNorm(runningMean: Tensor | null | undefined, options: { runningVar?: Tensor; weight?: Tensor; bias?: Tensor; training?: boolean; momentum?: number; eps?: number }): Tensor;
  /**
   * Brings the last axes of each example to mean 0 and variance 1, then scales and shifts them. Without `normalizedShape`: the axes of the weight, or the last one.
   *
   * Defaults: `eps = 1e-05`
   * @example
   * ```ts
   * tensor([1, 3]).layerNorm({ eps: 0 })
   * // [-1, 1]
   * ```
   */
  layerNorm(weight?: Tensor | null, bias?: Tensor | null, normalizedShape?: number | readonly number[], eps?: number): Tensor;
  /** Brings the last axes of each example to mean 0 and variance 1, then scales and shifts them. Without `normalizedShape`: the axes of the weight, or the last one. */
  layerNorm(options: { weight?: Tensor; bias?: Tensor; normalizedShape?: number | readonly number[]; eps?: number }): Tensor;
  /** Brings the last axes of each example to mean 0 and variance 1, then scales and shifts them. Without `normalizedShape`: the axes of the weight, or the last one. */
  layerNorm(weight: Tensor | null | undefined, options: { bias?: Tensor; normalizedShape?: number | readonly number[]; eps?: number }): Tensor;
  /**
   * Divides the last axes of each example by the root of their mean square, then scales them by the weight.
   * @example
   * ```ts
   * tensor([3, 3]).rmsNorm()
   * // [1, 1]
   * ```
   */
  rmsNorm(weight?: Tensor | null, normalizedShape?: number | readonly number[], eps?: number): Tensor;
  /** Divides the last axes of each example by the root of their mean square, then scales them by the weight. */
  rmsNorm(options: { weight?: Tensor; normalizedShape?: number | readonly number[]; eps?: number }): Tensor;
  /** Divides the last axes of each example by the root of their mean square, then scales them by the weight. */
  rmsNorm(weight: Tensor | null | undefined, options: { normalizedShape?: number | readonly number[]; eps?: number }): Tensor;
  /**
   * Brings groups of channels of each example to mean 0 and variance 1, then scales and shifts every channel.
   *
   * Defaults: `eps = 1e-05`
   * @example
   * ```ts
   * tensor([[1, 3, 5, 5]]).groupNorm({ groups: 2, eps: 1 })
   * // [[-0.70711, 0.70711, 0, 0]]
   * ```
   */
  groupNorm(weight: Tensor | null | undefined, bias: Tensor | null | undefined, groups: number, eps?: number): Tensor;
  /** Brings groups of channels of each example to mean 0 and variance 1, then scales and shifts every channel. */
  groupNorm(weight: Tensor | null | undefined, bias: Tensor | null | undefined, groups: number, options: { eps?: number }): Tensor;
  /**
   * Brings each channel of each example to mean 0 and variance 1 over its pixels, then scales and shifts it.
   *
   * Defaults: `eps = 1e-05`
   * @example
   * ```ts
   * tensor([[[1, 3]]]).instanceNorm({ eps: 0 })
   * // [[[-1, 1]]]
   * ```
   */
  instanceNorm(weight?: Tensor | null, bias?: Tensor | null, eps?: number): Tensor;
  /** Brings each channel of each example to mean 0 and variance 1 over its pixels, then scales and shifts it. */
  instanceNorm(options: { weight?: Tensor; bias?: Tensor; eps?: number }): Tensor;
  /** Brings each channel of each example to mean 0 and variance 1 over its pixels, then scales and shifts it. */
  instanceNorm(weight: Tensor | null | undefined, options: { bias?: Tensor; eps?: number }): Tensor;
  /**
   * Divides vectors along an axis by their p-norm, or by eps when that is larger.
   *
   * Defaults: `p = 2, axis = 1, eps = 1e-12`
   * @example
   * ```ts
   * tensor([3, 4]).normalize({ axis: 0 })
   * // [0.6, 0.8]
   * ```
   */
  normalize(p?: number, axis?: number, eps?: number): Tensor;
  /** Divides vectors along an axis by their p-norm, or by eps when that is larger. */
  normalize(options: { p?: number; axis?: number; eps?: number }): Tensor;
  /** Divides vectors along an axis by their p-norm, or by eps when that is larger. */
  normalize(p: number, options: { axis?: number; eps?: number }): Tensor;
  /**
   * For every query the average of the values, weighted by softmax of query times key. A bool mask says which keys may be seen, a floating one is added; isCausal hides later ones.
   *
   * Formula: `\operatorname{softmax}\!\left(\frac{Q K^\top}{\sqrt{d}}\right) V`
   *
   * Defaults: `dropoutP = 0, isCausal = false`
   * @example
   * ```ts
   * tensor([[0], [0]]).scaledDotProductAttention(tensor([[1], [2]]), tensor([[2], [4]]), { isCausal: true })
   * // [[2], [3]]
   * ```
   */
  scaledDotProductAttention(key: Tensor, value: Tensor, mask?: Tensor | number | null, dropoutP?: number, isCausal?: boolean, scale?: number): Tensor;
  /** For every query the average of the values, weighted by softmax of query times key. A bool mask says which keys may be seen, a floating one is added; isCausal hides later ones. */
  scaledDotProductAttention(key: Tensor, value: Tensor, options: { mask?: Tensor | number; dropoutP?: number; isCausal?: boolean; scale?: number }): Tensor;
  /** For every query the average of the values, weighted by softmax of query times key. A bool mask says which keys may be seen, a floating one is added; isCausal hides later ones. */
  scaledDotProductAttention(key: Tensor, value: Tensor, mask: Tensor | number | null | undefined, options: { dropoutP?: number; isCausal?: boolean; scale?: number }): Tensor;
  /**
   * One step of a plain recurrent layer: the new hidden state, tanh(W x + U h + b).
   *
   * Defaults: `nonlinearity = 'tanh'`
   * @example
   * ```ts
   * tensor([[1]]).rnnCell(tensor([[0]]), tensor([[2]]), tensor([[1]]), { nonlinearity: 'relu' })
   * // [[2]]
   * ```
   */
  rnnCell(h: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh?: Tensor | null, biasHh?: Tensor | null, nonlinearity?: string): Tensor;
  /** One step of a plain recurrent layer: the new hidden state, tanh(W x + U h + b). */
  rnnCell(h: Tensor, weightIh: Tensor, weightHh: Tensor, options: { biasIh?: Tensor; biasHh?: Tensor; nonlinearity?: string }): Tensor;
  /** One step of a plain recurrent layer: the new hidden state, tanh(W x + U h + b). */
  rnnCell(h: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh: Tensor | null | undefined, options: { biasHh?: Tensor; nonlinearity?: string }): Tensor;
  /**
   * One step of a gated recurrent unit: the new hidden state. Gates in PyTorch's order: reset, update, new.
   * @example
   * ```ts
   * tensor([[0]]).gruCell(tensor([[4]]), tensor([[0], [0], [0]]), tensor([[0], [0], [0]]))
   * // [[2]]
   * ```
   */
  gruCell(h: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh?: Tensor | null, biasHh?: Tensor | null): Tensor;
  /** One step of a gated recurrent unit: the new hidden state. Gates in PyTorch's order: reset, update, new. */
  gruCell(h: Tensor, weightIh: Tensor, weightHh: Tensor, options: { biasIh?: Tensor; biasHh?: Tensor }): Tensor;
  /** One step of a gated recurrent unit: the new hidden state. Gates in PyTorch's order: reset, update, new. */
  gruCell(h: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh: Tensor | null | undefined, options: { biasHh?: Tensor }): Tensor;
  /**
   * One step of a long short-term memory: (2, batch, hidden), the new hidden state and the new memory. Gates in PyTorch's order: input, forget, new, output.
   * @example
   * ```ts
   * tensor([[0]]).lstmCell(tensor([[0]]), tensor([[4]]), tensor([[0], [0], [0], [0]]), tensor([[0], [0], [0], [0]])).select(0, 1)
   * // [[2]]
   * ```
   */
  lstmCell(h: Tensor, c: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh?: Tensor | null, biasHh?: Tensor | null): Tensor;
  /** One step of a long short-term memory: (2, batch, hidden), the new hidden state and the new memory. Gates in PyTorch's order: input, forget, new, output. */
  lstmCell(h: Tensor, c: Tensor, weightIh: Tensor, weightHh: Tensor, options: { biasIh?: Tensor; biasHh?: Tensor }): Tensor;
  /** One step of a long short-term memory: (2, batch, hidden), the new hidden state and the new memory. Gates in PyTorch's order: input, forget, new, output. */
  lstmCell(h: Tensor, c: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh: Tensor | null | undefined, options: { biasHh?: Tensor }): Tensor;
  /**
   * The same elements, row by row, in another shape; one size may be -1 and is worked out.
   * @example
   * ```ts
   * tensor([1, 2, 3, 4]).reshape([2, 2])
   * // [[1, 2], [3, 4]]
   * ```
   */
  reshape(shape: number | readonly number[]): Tensor;
  /** The same elements, row by row, in another shape; one size may be -1 and is worked out. */
  reshape(...shape: number[]): Tensor;
  /**
   * As reshape, but never copies: an error when the memory order does not allow it.
   * @example
   * ```ts
   * tensor([1, 2, 3, 4]).view([2, 2])
   * // [[1, 2], [3, 4]]
   * ```
   */
  view(shape: number | readonly number[]): Tensor;
  /** As reshape, but never copies: an error when the memory order does not allow it. */
  view(...shape: number[]): Tensor;
  /**
   * Merges the axes from `first` to `last` into one.
   *
   * Defaults: `first = 0, last = -1`
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).flatten()
   * // [1, 2, 3, 4]
   * ```
   */
  flatten(first?: number, last?: number): Tensor;
  /** Merges the axes from `first` to `last` into one. */
  flatten(options: { first?: number; last?: number }): Tensor;
  /** Merges the axes from `first` to `last` into one. */
  flatten(first: number, options: { last?: number }): Tensor;
  /**
   * Splits one axis into several; one of their sizes may be -1.
   * @example
   * ```ts
   * tensor([1, 2, 3, 4]).unflatten(0, [2, 2])
   * // [[1, 2], [3, 4]]
   * ```
   */
  unflatten(axis: number, sizes: number | readonly number[]): Tensor;
  /**
   * Drops axes of size 1: all of them, or those named that have size 1.
   * @example
   * ```ts
   * tensor([[1, 2]]).squeeze()
   * // [1, 2]
   * ```
   */
  squeeze(axes?: number | readonly number[]): Tensor;
  /** Drops axes of size 1: all of them, or those named that have size 1. */
  squeeze(options: { axes?: number | readonly number[] }): Tensor;
  /** Drops axes of size 1: all of them, or those named that have size 1. */
  squeeze(...axes: number[]): Tensor;
  /**
   * Puts in a new axis of size 1 at the given place.
   * @example
   * ```ts
   * tensor([1, 2]).unsqueeze(1)
   * // [[1], [2]]
   * ```
   */
  unsqueeze(axis: number): Tensor;
  /**
   * Puts the axes in another order.
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).permute([1, 0])
   * // [[1, 3], [2, 4]]
   * ```
   */
  permute(axes: number | readonly number[]): Tensor;
  /** Puts the axes in another order. */
  permute(...axes: number[]): Tensor;
  /**
   * Swaps two axes; without arguments the last two.
   *
   * Defaults: `first = -2, second = -1`
   * @example
   * ```ts
   * tensor([[1, 2, 3]]).transpose()
   * // [[1], [2], [3]]
   * ```
   */
  transpose(first?: number, second?: number): Tensor;
  /** Swaps two axes; without arguments the last two. */
  transpose(options: { first?: number; second?: number }): Tensor;
  /** Swaps two axes; without arguments the last two. */
  transpose(first: number, options: { second?: number }): Tensor;
  /**
   * Repeats axes of size 1 to the sizes given, without copying; -1 keeps a size, new axes come first.
   * @example
   * ```ts
   * tensor([[1], [2]]).expand([2, 3])
   * // [[1, 1, 1], [2, 2, 2]]
   * ```
   */
  expand(shape: number | readonly number[]): Tensor;
  /** Repeats axes of size 1 to the sizes given, without copying; -1 keeps a size, new axes come first. */
  expand(...shape: number[]): Tensor;
  /**
   * Elements from `start` up to, not including, `end` along one axis; negative numbers count from the end.
   *
   * Defaults: `axis = 0, step = 1`
   * @example
   * ```ts
   * tensor([10, 11, 12, 13]).slice(1, 3)
   * // [11, 12]
   * ```
   */
  slice(start: number, end?: number, axis?: number, step?: number): Tensor;
  /** Elements from `start` up to, not including, `end` along one axis; negative numbers count from the end. */
  slice(start: number, options: { end?: number; axis?: number; step?: number }): Tensor;
  /** Elements from `start` up to, not including, `end` along one axis; negative numbers count from the end. */
  slice(start: number, end: number, options: { axis?: number; step?: number }): Tensor;
  /**
   * One place of an axis, without that axis; negative indices count from the end.
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).select(0, 1)
   * // [3, 4]
   * ```
   */
  select(axis: number, index: number): Tensor;
  /**
   * `length` elements of an axis from `start` on.
   * @example
   * ```ts
   * tensor([1, 2, 3, 4]).narrow(0, 1, 2)
   * // [2, 3]
   * ```
   */
  narrow(axis: number, start: number, length: number): Tensor;
  /**
   * A copy with the elements row by row in memory.
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).transpose().contiguous()
   * // [[1, 3], [2, 4]]
   * ```
   */
  contiguous(): Tensor;
  /**
   * Adds elements before and after axes: pairs (before, after) from the last axis on, as in PyTorch; negative numbers cut off. Modes: 'constant' (value), 'reflect', 'replicate', 'circular'.
   *
   * Defaults: `mode = 'constant', value = 0`
   * @example
   * ```ts
   * tensor([1, 2, 3]).pad([2, 1], 'reflect')
   * // [3, 2, 1, 2, 3, 2]
   * ```
   */
  pad(padding: number | readonly number[], mode?: string, value?: number): Tensor;
  /** Adds elements before and after axes: pairs (before, after) from the last axis on, as in PyTorch; negative numbers cut off. Modes: 'constant' (value), 'reflect', 'replicate', 'circular'. */
  pad(padding: number | readonly number[], options: { mode?: string; value?: number }): Tensor;
  /** Adds elements before and after axes: pairs (before, after) from the last axis on, as in PyTorch; negative numbers cut off. Modes: 'constant' (value), 'reflect', 'replicate', 'circular'. */
  pad(padding: number | readonly number[], mode: string, options: { value?: number }): Tensor;
  /**
   * Reverses the order along axes, or along all of them.
   * @example
   * ```ts
   * tensor([1, 2, 3]).flip()
   * // [3, 2, 1]
   * ```
   */
  flip(axes?: number | readonly number[]): Tensor;
  /** Reverses the order along axes, or along all of them. */
  flip(options: { axes?: number | readonly number[] }): Tensor;
  /** Reverses the order along axes, or along all of them. */
  flip(...axes: number[]): Tensor;
  /**
   * Moves elements along axes; those pushed out come in on the other side. Without `axes` the flattened tensor is rolled.
   * @example
   * ```ts
   * tensor([1, 2, 3, 4]).roll(1)
   * // [4, 1, 2, 3]
   * ```
   */
  roll(shifts: number | readonly number[], axes?: number | readonly number[]): Tensor;
  /** Moves elements along axes; those pushed out come in on the other side. Without `axes` the flattened tensor is rolled. */
  roll(shifts: number | readonly number[], options: { axes?: number | readonly number[] }): Tensor;
  /**
   * Repeats the whole tensor along each axis, new axes first.
   * @example
   * ```ts
   * tensor([1, 2]).repeat([2, 2])
   * // [[1, 2, 1, 2], [1, 2, 1, 2]]
   * ```
   */
  repeat(repeats: number | readonly number[]): Tensor;
  /** Repeats the whole tensor along each axis, new axes first. */
  repeat(...repeats: number[]): Tensor;
  /**
   * As repeat, but with fewer numbers than axes the first axes stay as they are.
   * @example
   * ```ts
   * tensor([[1], [2]]).tile(2)
   * // [[1, 1], [2, 2]]
   * ```
   */
  tile(repeats: number | readonly number[]): Tensor;
  /** As repeat, but with fewer numbers than axes the first axes stay as they are. */
  tile(...repeats: number[]): Tensor;
  /**
   * Repeats each element `repeats` times in a row along an axis; without `axis` of the flattened tensor.
   * @example
   * ```ts
   * tensor([1, 2]).repeatInterleave(2)
   * // [1, 1, 2, 2]
   * ```
   */
  repeatInterleave(repeats: number, axis?: number): Tensor;
  /** Repeats each element `repeats` times in a row along an axis; without `axis` of the flattened tensor. */
  repeatInterleave(repeats: number, options: { axis?: number }): Tensor;
  /**
   * Trades channels for resolution: (C * r * r, H, W) becomes (C, H * r, W * r).
   * @example
   * ```ts
   * tensor([[[1]], [[2]], [[3]], [[4]]]).pixelShuffle(2)
   * // [[[1, 2], [3, 4]]]
   * ```
   */
  pixelShuffle(upscaleFactor: number): Tensor;
  /**
   * The reverse of pixelShuffle: (C, H * r, W * r) becomes (C * r * r, H, W).
   * @example
   * ```ts
   * tensor([[[1, 2], [3, 4]]]).pixelUnshuffle(2)
   * // [[[1]], [[2]], [[3]], [[4]]]
   * ```
   */
  pixelUnshuffle(downscaleFactor: number): Tensor;
  /**
   * Along an axis, takes for every element of the index the element of x with that number.
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).gather(tensor([[1], [0]]), 1)
   * // [[2], [3]]
   * ```
   */
  gather(index: Tensor, axis: number): Tensor;
  /**
   * A copy of x in which, along an axis, each element of the source is added to the place that the index names.
   * @example
   * ```ts
   * tensor([0, 0, 0]).scatterAdd(tensor([2, 0, 2]), tensor([1, 2, 3]), 0)
   * // [2, 0, 4]
   * ```
   */
  scatterAdd(index: Tensor, source: Tensor, axis: number): Tensor;
  /**
   * A copy of x in which, along an axis, each element of the source replaces the place that the index names; the last one wins.
   * @example
   * ```ts
   * tensor([0, 0, 0]).scatter(tensor([2, 0]), tensor([5, 6]), 0)
   * // [6, 0, 5]
   * ```
   */
  scatter(index: Tensor, source: Tensor, axis: number): Tensor;
  /**
   * The places of an axis that the index names, in that order.
   *
   * Defaults: `axis = 0`
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).indexSelect(tensor([1, 1, 0]))
   * // [[3, 4], [3, 4], [1, 2]]
   * ```
   */
  indexSelect(index: Tensor, axis?: number): Tensor;
  /** The places of an axis that the index names, in that order. */
  indexSelect(index: Tensor, options: { axis?: number }): Tensor;
  /**
   * A copy of x in which each place of the source along an axis is added to the place that the index names.
   *
   * Defaults: `axis = 0`
   * @example
   * ```ts
   * tensor([0, 0, 0]).indexAdd(tensor([2, 2]), tensor([1, 5]))
   * // [0, 0, 6]
   * ```
   */
  indexAdd(index: Tensor, source: Tensor, axis?: number): Tensor;
  /** A copy of x in which each place of the source along an axis is added to the place that the index names. */
  indexAdd(index: Tensor, source: Tensor, options: { axis?: number }): Tensor;
  /**
   * Rows of axis 0 by number, arranged as the index is: x[index] in PyTorch.
   * @example
   * ```ts
   * tensor([[1, 2], [3, 4]]).index(tensor([1, 0]))
   * // [[3, 4], [1, 2]]
   * ```
   */
  index(index: Tensor): Tensor;
  /**
   * For every id the row of the weight with that number.
   * @example
   * ```ts
   * tensor([1, 0]).embedding(tensor([[1, 2], [3, 4]]))
   * // [[3, 4], [1, 2]]
   * ```
   */
  embedding(weight: Tensor): Tensor;
  /**
   * As gather, with x and the index broadcast against each other on all axes but one.
   * @example
   * ```ts
   * tensor([[3, 1, 2]]).takeAlong(tensor([[0], [1]]), 1)
   * // [[3], [1]]
   * ```
   */
  takeAlong(index: Tensor, axis: number): Tensor;
  /**
   * A copy in which `value` stands where the mask is true.
   * @example
   * ```ts
   * tensor([1, 2]).maskedFill(tensor([false, true]), 0)
   * // [1, 0]
   * ```
   */
  maskedFill(mask: Tensor, value: number): Tensor;
  /**
   * The elements where the mask is true, as a list.
   * @example
   * ```ts
   * tensor([1, 2, 3]).maskedSelect(tensor([true, false, true]))
   * // [1, 3]
   * ```
   */
  maskedSelect(mask: Tensor | number): Tensor;
  /**
   * The places of the elements that are not zero: one row of indices each.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([[0, 5], [6, 0]]).nonzero()
   * // [[0, 1], [1, 0]]
   * ```
   */
  nonzero(): Tensor;
  /**
   * Class ids as rows of zeros with a single 1; without `classes` there are as many as the largest id needs.
   *
   * Defaults: `classes = -1`
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([0, 2]).oneHot()
   * // [[1, 0, 0], [0, 0, 1]]
   * ```
   */
  oneHot(classes?: number): Tensor;
  /** Class ids as rows of zeros with a single 1; without `classes` there are as many as the largest id needs. */
  oneHot(options: { classes?: number }): Tensor;
  /**
   * 1 with the probability given by each element, else 0.
   *
   * Has no gradient.
   * @example
   * ```ts
   * tensor([0, 1]).bernoulli()
   * // [0, 1]
   * ```
   */
  bernoulli(): Tensor;
  /**
   * While training, sets each element to zero with probability p and divides the others by 1 - p, so that the mean stays.
   *
   * Defaults: `p = 0.5, training = true`
   * @example
   * ```ts
   * tensor([1, 2]).dropout(0.5, { training: false })
   * // [1, 2]
   * ```
   */
  dropout(p?: number, training?: boolean): Tensor;
  /** While training, sets each element to zero with probability p and divides the others by 1 - p, so that the mean stays. */
  dropout(options: { p?: number; training?: boolean }): Tensor;
  /** While training, sets each element to zero with probability p and divides the others by 1 - p, so that the mean stays. */
  dropout(p: number, options: { training?: boolean }): Tensor;
  /**
   * dropout of whole channels: all of (batch, channel) is kept or zeroed together.
   *
   * Defaults: `p = 0.5, training = true`
   * @example
   * ```ts
   * tensor([[[1, 2]]]).dropout2d(0.5, { training: false })
   * // [[[1, 2]]]
   * ```
   */
  dropout2d(p?: number, training?: boolean): Tensor;
  /** dropout of whole channels: all of (batch, channel) is kept or zeroed together. */
  dropout2d(options: { p?: number; training?: boolean }): Tensor;
  /** dropout of whole channels: all of (batch, channel) is kept or zeroed together. */
  dropout2d(p: number, options: { training?: boolean }): Tensor;
}

/** All ops as functions. */
export interface Ops {
  /** Adds two tensors, element by element. */
  add(x: Tensor | number, y: Tensor | number): Tensor;
  /** Subtracts the second tensor from the first, element by element. */
  sub(x: Tensor | number, y: Tensor | number): Tensor;
  /** Multiplies two tensors, element by element; for the matrix product see matmul. */
  mul(x: Tensor | number, y: Tensor | number): Tensor;
  /** Divides the first tensor by the second, element by element; whole numbers give float32. Division by zero gives Infinity or NaN. */
  div(x: Tensor | number, y: Tensor | number): Tensor;
  /** Changes the sign of every element. */
  neg(x: Tensor): Tensor;
  /** Raises the first tensor to the power of the second; a negative base with a broken exponent gives NaN. */
  pow(x: Tensor | number, exponent: Tensor | number): Tensor;
  /** Remainder of the division of the first tensor by the second, with the sign of the divisor, as % in Python. */
  remainder(x: Tensor | number, y: Tensor | number): Tensor;
  /** Absolute value; the gradient at zero is zero. */
  abs(x: Tensor): Tensor;
  /** -1 for negative elements, 1 for positive ones, 0 for zero; NaN stays NaN. The gradient is zero. */
  sign(x: Tensor): Tensor;
  /** Each element times itself. */
  square(x: Tensor): Tensor;
  /** One divided by each element. */
  reciprocal(x: Tensor): Tensor;
  /** The larger of two elements; NaN wins. Where both are equal, each gets half of the gradient. */
  maximum(x: Tensor | number, y: Tensor | number): Tensor;
  /** The smaller of two elements; NaN wins. Where both are equal, each gets half of the gradient. */
  minimum(x: Tensor | number, y: Tensor | number): Tensor;
  /** Moves elements below `min` to min and above `max` to max; NaN stays NaN. The gradient passes where min <= x <= max. */
  clamp(x: Tensor, min?: number, max?: number): Tensor;
  /** Moves elements below `min` to min and above `max` to max; NaN stays NaN. The gradient passes where min <= x <= max. */
  clamp(x: Tensor, options: { min?: number; max?: number }): Tensor;
  /** Moves elements below `min` to min and above `max` to max; NaN stays NaN. The gradient passes where min <= x <= max. */
  clamp(x: Tensor, min: number, options: { max?: number }): Tensor;
  /** Elements of `x` where the condition is true, of `y` where it is false. */
  where(condition: Tensor | number, x: Tensor | number, y: Tensor | number): Tensor;
  /** Goes from `x` towards `end` by the share `weight`: 0 gives x, 1 gives end. */
  lerp(x: Tensor | number, end: Tensor | number, weight: Tensor | number): Tensor;
  /** Converts to another dtype; broken numbers are cut towards zero for whole types, and NaN becomes 0. */
  to(x: Tensor, dtype: DType): Tensor;
  /** e to the power of each element. */
  exp(x: Tensor): Tensor;
  /** exp(x) - 1, exact also for x near zero. */
  expm1(x: Tensor): Tensor;
  /** Natural logarithm; of zero -Infinity, of negative elements NaN. */
  log(x: Tensor): Tensor;
  /** log(1 + x), exact also for x near zero. */
  log1p(x: Tensor): Tensor;
  /** Logarithm to base 2. */
  log2(x: Tensor): Tensor;
  /** Logarithm to base 10. */
  log10(x: Tensor): Tensor;
  /** Square root; of negative elements NaN. The gradient at zero is infinite. */
  sqrt(x: Tensor): Tensor;
  /** One divided by the square root. */
  rsqrt(x: Tensor): Tensor;
  /** Sine of an angle in radians. */
  sin(x: Tensor): Tensor;
  /** Cosine of an angle in radians. */
  cos(x: Tensor): Tensor;
  /** Tangent of an angle in radians. */
  tan(x: Tensor): Tensor;
  /** Angle in radians with this sine; NaN outside [-1, 1]. */
  asin(x: Tensor): Tensor;
  /** Angle in radians with this cosine; NaN outside [-1, 1]. */
  acos(x: Tensor): Tensor;
  /** Angle in radians with this tangent, between -pi/2 and pi/2. */
  atan(x: Tensor): Tensor;
  /** Angle in radians of the point (x, y), between -pi and pi; the first argument is y. */
  atan2(y: Tensor | number, x: Tensor | number): Tensor;
  /** Hyperbolic sine. */
  sinh(x: Tensor): Tensor;
  /** Hyperbolic cosine. */
  cosh(x: Tensor): Tensor;
  /** Hyperbolic tangent: squeezes every number into (-1, 1). */
  tanh(x: Tensor): Tensor;
  /** Inverse of sinh. */
  asinh(x: Tensor): Tensor;
  /** Inverse of cosh; NaN below 1. */
  acosh(x: Tensor): Tensor;
  /** Inverse of tanh; NaN outside [-1, 1]. */
  atanh(x: Tensor): Tensor;
  /** 1 / (1 + exp(-x)): squeezes every number into (0, 1). */
  sigmoid(x: Tensor): Tensor;
  /** Error function: the share of a normal distribution within x times sqrt(2) deviations. */
  erf(x: Tensor): Tensor;
  /** The next whole number below; the gradient is zero. */
  floor(x: Tensor): Tensor;
  /** The next whole number above; the gradient is zero. */
  ceil(x: Tensor): Tensor;
  /** The nearest whole number, halves to the even one; the gradient is zero. */
  round(x: Tensor): Tensor;
  /** Cuts off what stands behind the point; the gradient is zero. */
  trunc(x: Tensor): Tensor;
  /** True where both elements are equal; NaN equals nothing. */
  eq(x: Tensor | number, y: Tensor | number): Tensor;
  /** True where the elements differ; NaN differs from everything. */
  ne(x: Tensor | number, y: Tensor | number): Tensor;
  /** True where the first element is less than the second. */
  lt(x: Tensor | number, y: Tensor | number): Tensor;
  /** True where the first element is less than or equal to the second. */
  le(x: Tensor | number, y: Tensor | number): Tensor;
  /** True where the first element is greater than the second. */
  gt(x: Tensor | number, y: Tensor | number): Tensor;
  /** True where the first element is greater than or equal to the second. */
  ge(x: Tensor | number, y: Tensor | number): Tensor;
  /** True where both elements are not zero. */
  logicalAnd(x: Tensor | number, y: Tensor | number): Tensor;
  /** True where at least one element is not zero. */
  logicalOr(x: Tensor | number, y: Tensor | number): Tensor;
  /** True where exactly one element is not zero. */
  logicalXor(x: Tensor | number, y: Tensor | number): Tensor;
  /** True where the element is zero. */
  logicalNot(x: Tensor): Tensor;
  /** True where the element is NaN (not a number). */
  isnan(x: Tensor): Tensor;
  /** True where the element is Infinity or -Infinity. */
  isinf(x: Tensor): Tensor;
  /** True where the element is neither NaN nor infinite. */
  isfinite(x: Tensor): Tensor;
  /** Keeps positive elements and replaces the rest with zero; NaN stays NaN. The gradient at zero is zero. */
  relu(x: Tensor): Tensor;
  /** 1 for positive elements, else 0; the gradient is zero. */
  step(x: Tensor): Tensor;
  /** As relu, but negative elements keep a small share, `negativeSlope`, of their value; the gradient at zero is the slope. */
  leakyRelu(x: Tensor, negativeSlope?: number): Tensor;
  /** As relu, but negative elements keep a small share, `negativeSlope`, of their value; the gradient at zero is the slope. */
  leakyRelu(x: Tensor, options: { negativeSlope?: number }): Tensor;
  /** As relu, but negative elements become alpha * (exp(x) - 1). */
  elu(x: Tensor, alpha?: number): Tensor;
  /** As relu, but negative elements become alpha * (exp(x) - 1). */
  elu(x: Tensor, options: { alpha?: number }): Tensor;
  /** elu with the scale and alpha that keep mean 0 and variance 1 from layer to layer. */
  selu(x: Tensor): Tensor;
  /** max(0, x) + min(0, alpha * (exp(x / alpha) - 1)). */
  celu(x: Tensor, alpha?: number): Tensor;
  /** max(0, x) + min(0, alpha * (exp(x / alpha) - 1)). */
  celu(x: Tensor, options: { alpha?: number }): Tensor;
  /** x times the share of a normal distribution below x; approximate 'tanh' is the quicker form of GPT-2. */
  gelu(x: Tensor, approximate?: string): Tensor;
  /** x times the share of a normal distribution below x; approximate 'tanh' is the quicker form of GPT-2. */
  gelu(x: Tensor, options: { approximate?: string }): Tensor;
  /** x * sigmoid(x), also called swish. */
  silu(x: Tensor): Tensor;
  /** A smooth relu: log(1 + exp(beta * x)) / beta; linear where beta * x is above `threshold`. */
  softplus(x: Tensor, beta?: number, threshold?: number): Tensor;
  /** A smooth relu: log(1 + exp(beta * x)) / beta; linear where beta * x is above `threshold`. */
  softplus(x: Tensor, options: { beta?: number; threshold?: number }): Tensor;
  /** A smooth relu: log(1 + exp(beta * x)) / beta; linear where beta * x is above `threshold`. */
  softplus(x: Tensor, beta: number, options: { threshold?: number }): Tensor;
  /** x * tanh(softplus(x)). */
  mish(x: Tensor): Tensor;
  /** log(sigmoid(x)) without overflow. */
  logSigmoid(x: Tensor): Tensor;
  /** x / (1 + |x|). */
  softsign(x: Tensor): Tensor;
  /** Cuts elements to the range from `min` to `max`. */
  hardtanh(x: Tensor, min?: number, max?: number): Tensor;
  /** Cuts elements to the range from `min` to `max`. */
  hardtanh(x: Tensor, options: { min?: number; max?: number }): Tensor;
  /** Cuts elements to the range from `min` to `max`. */
  hardtanh(x: Tensor, min: number, options: { max?: number }): Tensor;
  /** relu that stops at 6. */
  relu6(x: Tensor): Tensor;
  /** A sigmoid of straight lines: 0 below -3, 1 above 3, x / 6 + 1/2 between. */
  hardsigmoid(x: Tensor): Tensor;
  /** x * hardsigmoid(x). */
  hardswish(x: Tensor): Tensor;
  /** leakyRelu with a learned slope: one, or one per channel (axis 1). */
  prelu(x: Tensor, weight: Tensor | number): Tensor;
  /** Adds up all elements, or those along `axes`; whole numbers and bools give int32. */
  sum(x: Tensor, axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** Adds up all elements, or those along `axes`; whole numbers and bools give int32. */
  sum(x: Tensor, options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** Adds up all elements, or those along `axes`; whole numbers and bools give int32. */
  sum(x: Tensor, axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /** Sums over the axes that broadcasting repeated, so that the result has the given shape. */
  sumTo(x: Tensor, shape: number | readonly number[]): Tensor;
  /** Sums over the axes that broadcasting repeated, so that the result has the given shape. */
  sumTo(x: Tensor, ...shape: number[]): Tensor;
  /** Average of all elements, or of those along `axes`; whole numbers give float32. Of nothing it is NaN. */
  mean(x: Tensor, axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** Average of all elements, or of those along `axes`; whole numbers give float32. Of nothing it is NaN. */
  mean(x: Tensor, options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** Average of all elements, or of those along `axes`; whole numbers give float32. Of nothing it is NaN. */
  mean(x: Tensor, axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /** The largest element, over all or along `axes`; NaN wins. Equal elements share the gradient. */
  max(x: Tensor, axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** The largest element, over all or along `axes`; NaN wins. Equal elements share the gradient. */
  max(x: Tensor, options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** The largest element, over all or along `axes`; NaN wins. Equal elements share the gradient. */
  max(x: Tensor, axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /** The smallest element, over all or along `axes`; NaN wins. Equal elements share the gradient. */
  min(x: Tensor, axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** The smallest element, over all or along `axes`; NaN wins. Equal elements share the gradient. */
  min(x: Tensor, options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** The smallest element, over all or along `axes`; NaN wins. Equal elements share the gradient. */
  min(x: Tensor, axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /** The place of the largest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins. */
  argmax(x: Tensor, axis?: number, keepDims?: boolean): Tensor;
  /** The place of the largest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins. */
  argmax(x: Tensor, options: { axis?: number; keepDims?: boolean }): Tensor;
  /** The place of the largest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins. */
  argmax(x: Tensor, axis: number, options: { keepDims?: boolean }): Tensor;
  /** The place of the smallest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins. */
  argmin(x: Tensor, axis?: number, keepDims?: boolean): Tensor;
  /** The place of the smallest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins. */
  argmin(x: Tensor, options: { axis?: number; keepDims?: boolean }): Tensor;
  /** The place of the smallest element along an axis, or in the flattened tensor; the first where several are equal; NaN wins. */
  argmin(x: Tensor, axis: number, options: { keepDims?: boolean }): Tensor;
  /** Average squared distance from the mean, divided by n - correction; correction 1 estimates the variance of the source of a sample. */
  var(x: Tensor, axes?: number | readonly number[], keepDims?: boolean, correction?: number): Tensor;
  /** Average squared distance from the mean, divided by n - correction; correction 1 estimates the variance of the source of a sample. */
  var(x: Tensor, options: { axes?: number | readonly number[]; keepDims?: boolean; correction?: number }): Tensor;
  /** Average squared distance from the mean, divided by n - correction; correction 1 estimates the variance of the source of a sample. */
  var(x: Tensor, axes: number | readonly number[], options: { keepDims?: boolean; correction?: number }): Tensor;
  /** Square root of var: the typical distance from the mean. */
  std(x: Tensor, axes?: number | readonly number[], keepDims?: boolean, correction?: number): Tensor;
  /** Square root of var: the typical distance from the mean. */
  std(x: Tensor, options: { axes?: number | readonly number[]; keepDims?: boolean; correction?: number }): Tensor;
  /** Square root of var: the typical distance from the mean. */
  std(x: Tensor, axes: number | readonly number[], options: { keepDims?: boolean; correction?: number }): Tensor;
  /** Product of all elements, or of those along `axes`; of nothing it is 1. */
  prod(x: Tensor, axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** Product of all elements, or of those along `axes`; of nothing it is 1. */
  prod(x: Tensor, options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** Product of all elements, or of those along `axes`; of nothing it is 1. */
  prod(x: Tensor, axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /** Length of a vector: the p-norm over all elements or along `axes`. The gradient is zero where the norm is zero. */
  norm(x: Tensor, p?: number, axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** Length of a vector: the p-norm over all elements or along `axes`. The gradient is zero where the norm is zero. */
  norm(x: Tensor, options: { p?: number; axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** Length of a vector: the p-norm over all elements or along `axes`. The gradient is zero where the norm is zero. */
  norm(x: Tensor, p: number, options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** True where at least one element is not zero, over all or along `axes`. */
  any(x: Tensor, axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** True where at least one element is not zero, over all or along `axes`. */
  any(x: Tensor, options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** True where at least one element is not zero, over all or along `axes`. */
  any(x: Tensor, axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /** True where no element is zero, over all or along `axes`. */
  all(x: Tensor, axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** True where no element is zero, over all or along `axes`. */
  all(x: Tensor, options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** True where no element is zero, over all or along `axes`. */
  all(x: Tensor, axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /** Running total along an axis; whole numbers and bools give int32. */
  cumsum(x: Tensor, axis: number): Tensor;
  /** Running product along an axis. */
  cumprod(x: Tensor, axis: number): Tensor;
  /** The places of the elements in rising order along an axis; equal elements keep their order, NaN counts as largest. */
  argsort(x: Tensor, axis?: number, descending?: boolean): Tensor;
  /** The places of the elements in rising order along an axis; equal elements keep their order, NaN counts as largest. */
  argsort(x: Tensor, options: { axis?: number; descending?: boolean }): Tensor;
  /** The places of the elements in rising order along an axis; equal elements keep their order, NaN counts as largest. */
  argsort(x: Tensor, axis: number, options: { descending?: boolean }): Tensor;
  /** The elements in rising order along an axis; NaN counts as largest. Their places: argsort. */
  sort(x: Tensor, axis?: number, descending?: boolean): Tensor;
  /** The elements in rising order along an axis; NaN counts as largest. Their places: argsort. */
  sort(x: Tensor, options: { axis?: number; descending?: boolean }): Tensor;
  /** The elements in rising order along an axis; NaN counts as largest. Their places: argsort. */
  sort(x: Tensor, axis: number, options: { descending?: boolean }): Tensor;
  /** The k largest elements along an axis, the largest first (or the smallest, with largest = false). Their places: topkIndices. */
  topk(x: Tensor, k: number, axis?: number, largest?: boolean): Tensor;
  /** The k largest elements along an axis, the largest first (or the smallest, with largest = false). Their places: topkIndices. */
  topk(x: Tensor, k: number, options: { axis?: number; largest?: boolean }): Tensor;
  /** The k largest elements along an axis, the largest first (or the smallest, with largest = false). Their places: topkIndices. */
  topk(x: Tensor, k: number, axis: number, options: { largest?: boolean }): Tensor;
  /** The places of the k largest (smallest) elements along an axis. */
  topkIndices(x: Tensor, k: number, axis?: number, largest?: boolean): Tensor;
  /** The places of the k largest (smallest) elements along an axis. */
  topkIndices(x: Tensor, k: number, options: { axis?: number; largest?: boolean }): Tensor;
  /** The places of the k largest (smallest) elements along an axis. */
  topkIndices(x: Tensor, k: number, axis: number, options: { largest?: boolean }): Tensor;
  /** The different values of a tensor, in rising order. */
  unique(x: Tensor): Tensor;
  /** How often each of the values of unique is there. */
  uniqueCounts(x: Tensor): Tensor;
  /** How often each whole number from 0 on is there; the result is at least `minLength` long. */
  bincount(x: Tensor, minLength?: number): Tensor;
  /** How often each whole number from 0 on is there; the result is at least `minLength` long. */
  bincount(x: Tensor, options: { minLength?: number }): Tensor;
  /** Matrix product over the last two axes; leading axes broadcast, and a vector is a row on the left, a column on the right. */
  matmul(x: Tensor, y: Tensor): Tensor;
  /** A fully connected layer: x times the transposed weight (out features, in features), plus the bias. Acts on the last axis. */
  linear(x: Tensor, weight: Tensor, bias?: Tensor | null): Tensor;
  /** A fully connected layer: x times the transposed weight (out features, in features), plus the bias. Acts on the last axis. */
  linear(x: Tensor, weight: Tensor, options: { bias?: Tensor }): Tensor;
  /** matmul of two batches of matrices: (batch, m, k) times (batch, k, n). */
  bmm(x: Tensor, y: Tensor): Tensor;
  /** Sum of the products of two vectors. */
  dot(x: Tensor, y: Tensor): Tensor;
  /** Table of the products of every element of one vector with every element of another. */
  outer(x: Tensor, y: Tensor): Tensor;
  /** The lower triangle of matrices: zero where the column is more than `diagonal` behind the row. */
  tril(x: Tensor, diagonal?: number): Tensor;
  /** The lower triangle of matrices: zero where the column is more than `diagonal` behind the row. */
  tril(x: Tensor, options: { diagonal?: number }): Tensor;
  /** The upper triangle of matrices: zero where the column is less than `diagonal` behind the row. */
  triu(x: Tensor, diagonal?: number): Tensor;
  /** The upper triangle of matrices: zero where the column is less than `diagonal` behind the row. */
  triu(x: Tensor, options: { diagonal?: number }): Tensor;
  /** The diagonal of a matrix, or the matrix with this diagonal and zeros elsewhere. */
  diag(x: Tensor, diagonal?: number): Tensor;
  /** The diagonal of a matrix, or the matrix with this diagonal and zeros elsewhere. */
  diag(x: Tensor, options: { diagonal?: number }): Tensor;
  /** Sum of the diagonal of a matrix. */
  trace(x: Tensor): Tensor;
  /** The x with a x = b, for square matrices a and a vector or matrix b; leading axes broadcast. */
  solve(a: Tensor, b: Tensor): Tensor;
  /** The matrix that undoes this one. */
  inverse(x: Tensor): Tensor;
  /** Determinant: by how much a matrix scales volumes. */
  det(x: Tensor): Tensor;
  /** The lower triangular L with L times its transpose equal to a symmetric positive definite matrix. */
  cholesky(x: Tensor): Tensor;
  /** The Q of A = Q R: columns of length 1 at right angles. */
  qrQ(x: Tensor): Tensor;
  /** The R of A = Q R: upper triangular. */
  qrR(x: Tensor): Tensor;
  /** Sum of products named by letters: 'ij,jk->ik' is the matrix product. Letters missing from the result are summed, '...' stands for further axes. */
  einsum(tensors: readonly Tensor[], equation?: string): Tensor;
  /** Sum of products named by letters: 'ij,jk->ik' is the matrix product. Letters missing from the result are summed, '...' stands for further axes. */
  einsum(tensors: readonly Tensor[], options: { equation?: string }): Tensor;
  /** Slides filters (out channels, channels / groups, height, width) over images (batch, channels, height, width); bias adds one number per out channel. */
  conv2d(x: Tensor, weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** Slides filters (out channels, channels / groups, height, width) over images (batch, channels, height, width); bias adds one number per out channel. */
  conv2d(x: Tensor, weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Slides filters (out channels, channels / groups, height, width) over images (batch, channels, height, width); bias adds one number per out channel. */
  conv2d(x: Tensor, weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Slides filters (out channels, channels / groups, length) over sequences (batch, channels, length). */
  conv1d(x: Tensor, weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** Slides filters (out channels, channels / groups, length) over sequences (batch, channels, length). */
  conv1d(x: Tensor, weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Slides filters (out channels, channels / groups, length) over sequences (batch, channels, length). */
  conv1d(x: Tensor, weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Slides filters (out channels, channels / groups, depth, height, width) over volumes (batch, channels, depth, height, width). */
  conv3d(x: Tensor, weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** Slides filters (out channels, channels / groups, depth, height, width) over volumes (batch, channels, depth, height, width). */
  conv3d(x: Tensor, weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Slides filters (out channels, channels / groups, depth, height, width) over volumes (batch, channels, depth, height, width). */
  conv3d(x: Tensor, weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Turns small images into larger ones: what conv2d with this filter does to its gradient. The filter is (channels, out channels / groups, height, width). */
  convTranspose2d(x: Tensor, weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** Turns small images into larger ones: what conv2d with this filter does to its gradient. The filter is (channels, out channels / groups, height, width). */
  convTranspose2d(x: Tensor, weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** Turns small images into larger ones: what conv2d with this filter does to its gradient. The filter is (channels, out channels / groups, height, width). */
  convTranspose2d(x: Tensor, weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** convTranspose2d for sequences (batch, channels, length). */
  convTranspose1d(x: Tensor, weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** convTranspose2d for sequences (batch, channels, length). */
  convTranspose1d(x: Tensor, weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** convTranspose2d for sequences (batch, channels, length). */
  convTranspose1d(x: Tensor, weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** convTranspose2d for volumes (batch, channels, depth, height, width). */
  convTranspose3d(x: Tensor, weight: Tensor, bias?: Tensor | null, stride?: number | readonly number[], padding?: number | readonly number[], outputPadding?: number | readonly number[], dilation?: number | readonly number[], groups?: number): Tensor;
  /** convTranspose2d for volumes (batch, channels, depth, height, width). */
  convTranspose3d(x: Tensor, weight: Tensor, options: { bias?: Tensor; stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** convTranspose2d for volumes (batch, channels, depth, height, width). */
  convTranspose3d(x: Tensor, weight: Tensor, bias: Tensor | null | undefined, options: { stride?: number | readonly number[]; padding?: number | readonly number[]; outputPadding?: number | readonly number[]; dilation?: number | readonly number[]; groups?: number }): Tensor;
  /** The largest element of each window; `stride` is the window's size when left out. Where several are equal, the first gets the gradient; NaN wins. */
  maxPool2d(x: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean): Tensor;
  /** The largest element of each window; `stride` is the window's size when left out. Where several are equal, the first gets the gradient; NaN wins. */
  maxPool2d(x: Tensor, kernelSize: number | readonly number[], options: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /** The largest element of each window; `stride` is the window's size when left out. Where several are equal, the first gets the gradient; NaN wins. */
  maxPool2d(x: Tensor, kernelSize: number | readonly number[], stride: number | readonly number[], options: { padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /** The average of each window; padding counts as zeros unless `countIncludePad` is false. */
  avgPool2d(x: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean): Tensor;
  /** The average of each window; padding counts as zeros unless `countIncludePad` is false. */
  avgPool2d(x: Tensor, kernelSize: number | readonly number[], options: { stride?: number | readonly number[]; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean }): Tensor;
  /** The average of each window; padding counts as zeros unless `countIncludePad` is false. */
  avgPool2d(x: Tensor, kernelSize: number | readonly number[], stride: number | readonly number[], options: { padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean }): Tensor;
  /** maxPool2d for sequences (batch, channels, length). */
  maxPool1d(x: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], dilation?: number | readonly number[], ceilMode?: boolean): Tensor;
  /** maxPool2d for sequences (batch, channels, length). */
  maxPool1d(x: Tensor, kernelSize: number | readonly number[], options: { stride?: number | readonly number[]; padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /** maxPool2d for sequences (batch, channels, length). */
  maxPool1d(x: Tensor, kernelSize: number | readonly number[], stride: number | readonly number[], options: { padding?: number | readonly number[]; dilation?: number | readonly number[]; ceilMode?: boolean }): Tensor;
  /** avgPool2d for sequences (batch, channels, length). */
  avgPool1d(x: Tensor, kernelSize: number | readonly number[], stride?: number | readonly number[], padding?: number | readonly number[], ceilMode?: boolean, countIncludePad?: boolean): Tensor;
  /** avgPool2d for sequences (batch, channels, length). */
  avgPool1d(x: Tensor, kernelSize: number | readonly number[], options: { stride?: number | readonly number[]; padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean }): Tensor;
  /** avgPool2d for sequences (batch, channels, length). */
  avgPool1d(x: Tensor, kernelSize: number | readonly number[], stride: number | readonly number[], options: { padding?: number | readonly number[]; ceilMode?: boolean; countIncludePad?: boolean }): Tensor;
  /** Averages over as many even parts of height and width as `outputSize` says, whatever the image's size. */
  adaptiveAvgPool2d(x: Tensor, outputSize: number | readonly number[]): Tensor;
  /** Averages over as many even parts of height and width as `outputSize` says, whatever the image's size. */
  adaptiveAvgPool2d(x: Tensor, ...outputSize: number[]): Tensor;
  /** adaptiveAvgPool2d for sequences (batch, channels, length). */
  adaptiveAvgPool1d(x: Tensor, outputSize: number | readonly number[]): Tensor;
  /** adaptiveAvgPool2d for sequences (batch, channels, length). */
  adaptiveAvgPool1d(x: Tensor, ...outputSize: number[]): Tensor;
  /** The largest element of as many even parts of height and width as `outputSize` says. Equal elements share the gradient. */
  adaptiveMaxPool2d(x: Tensor, outputSize: number | readonly number[]): Tensor;
  /** The largest element of as many even parts of height and width as `outputSize` says. Equal elements share the gradient. */
  adaptiveMaxPool2d(x: Tensor, ...outputSize: number[]): Tensor;
  /** adaptiveMaxPool2d for sequences (batch, channels, length). */
  adaptiveMaxPool1d(x: Tensor, outputSize: number | readonly number[]): Tensor;
  /** adaptiveMaxPool2d for sequences (batch, channels, length). */
  adaptiveMaxPool1d(x: Tensor, ...outputSize: number[]): Tensor;
  /** Images, sequences or volumes at another size, by 'nearest', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area'; `alignCorners` keeps the outermost elements in place. */
  interpolate(x: Tensor, size?: number | readonly number[], scaleFactor?: number | readonly number[], mode?: string, alignCorners?: boolean): Tensor;
  /** Images, sequences or volumes at another size, by 'nearest', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area'; `alignCorners` keeps the outermost elements in place. */
  interpolate(x: Tensor, options: { size?: number | readonly number[]; scaleFactor?: number | readonly number[]; mode?: string; alignCorners?: boolean }): Tensor;
  /** Images, sequences or volumes at another size, by 'nearest', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area'; `alignCorners` keeps the outermost elements in place. */
  interpolate(x: Tensor, size: number | readonly number[], options: { scaleFactor?: number | readonly number[]; mode?: string; alignCorners?: boolean }): Tensor;
  /** All windows of images as columns: (batch, channels * window, places). A convolution is a matrix product with them. */
  unfold(x: Tensor, kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]): Tensor;
  /** All windows of images as columns: (batch, channels * window, places). A convolution is a matrix product with them. */
  unfold(x: Tensor, kernelSize: number | readonly number[], options: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  /** All windows of images as columns: (batch, channels * window, places). A convolution is a matrix product with them. */
  unfold(x: Tensor, kernelSize: number | readonly number[], dilation: number | readonly number[], options: { padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  /** Puts columns of windows back into images of `outputSize`; where windows overlap, they add up. */
  fold(x: Tensor, outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation?: number | readonly number[], padding?: number | readonly number[], stride?: number | readonly number[]): Tensor;
  /** Puts columns of windows back into images of `outputSize`; where windows overlap, they add up. */
  fold(x: Tensor, outputSize: number | readonly number[], kernelSize: number | readonly number[], options: { dilation?: number | readonly number[]; padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  /** Puts columns of windows back into images of `outputSize`; where windows overlap, they add up. */
  fold(x: Tensor, outputSize: number | readonly number[], kernelSize: number | readonly number[], dilation: number | readonly number[], options: { padding?: number | readonly number[]; stride?: number | readonly number[] }): Tensor;
  /** Turns numbers into shares that add up to 1 along an axis: exp(x) divided by its sum. */
  softmax(x: Tensor, axis?: number): Tensor;
  /** Turns numbers into shares that add up to 1 along an axis: exp(x) divided by its sum. */
  softmax(x: Tensor, options: { axis?: number }): Tensor;
  /** Logarithm of softmax, exact also where softmax itself would be 0. */
  logSoftmax(x: Tensor, axis?: number): Tensor;
  /** Logarithm of softmax, exact also where softmax itself would be 0. */
  logSoftmax(x: Tensor, options: { axis?: number }): Tensor;
  /** softmax of the negative: small numbers get the large shares. */
  softmin(x: Tensor, axis?: number): Tensor;
  /** softmax of the negative: small numbers get the large shares. */
  softmin(x: Tensor, options: { axis?: number }): Tensor;
  /** log(sum(exp(x))) without overflow, over all elements or along `axes`. */
  logSumExp(x: Tensor, axes?: number | readonly number[], keepDims?: boolean): Tensor;
  /** log(sum(exp(x))) without overflow, over all elements or along `axes`. */
  logSumExp(x: Tensor, options: { axes?: number | readonly number[]; keepDims?: boolean }): Tensor;
  /** log(sum(exp(x))) without overflow, over all elements or along `axes`. */
  logSumExp(x: Tensor, axes: number | readonly number[], options: { keepDims?: boolean }): Tensor;
  /** How surprised a classifier is by the truth. Logits (batch, classes, ...) against class ids (batch, ...) or probabilities of the logits' shape; softmax is part of the loss. Ids equal to `ignoreIndex` do not count. */
  crossEntropy(logits: Tensor, target: Tensor, weight?: Tensor | null, reduction?: string, ignoreIndex?: number, labelSmoothing?: number): Tensor;
  /** How surprised a classifier is by the truth. Logits (batch, classes, ...) against class ids (batch, ...) or probabilities of the logits' shape; softmax is part of the loss. Ids equal to `ignoreIndex` do not count. */
  crossEntropy(logits: Tensor, target: Tensor, options: { weight?: Tensor; reduction?: string; ignoreIndex?: number; labelSmoothing?: number }): Tensor;
  /** How surprised a classifier is by the truth. Logits (batch, classes, ...) against class ids (batch, ...) or probabilities of the logits' shape; softmax is part of the loss. Ids equal to `ignoreIndex` do not count. */
  crossEntropy(logits: Tensor, target: Tensor, weight: Tensor | null | undefined, options: { reduction?: string; ignoreIndex?: number; labelSmoothing?: number }): Tensor;
  /** crossEntropy for log-probabilities, the result of logSoftmax. */
  nll(logProbabilities: Tensor, target: Tensor, weight?: Tensor | null, reduction?: string, ignoreIndex?: number): Tensor;
  /** crossEntropy for log-probabilities, the result of logSoftmax. */
  nll(logProbabilities: Tensor, target: Tensor, options: { weight?: Tensor; reduction?: string; ignoreIndex?: number }): Tensor;
  /** crossEntropy for log-probabilities, the result of logSoftmax. */
  nll(logProbabilities: Tensor, target: Tensor, weight: Tensor | null | undefined, options: { reduction?: string; ignoreIndex?: number }): Tensor;
  /** Mean squared error: the average of the squared differences. */
  mse(prediction: Tensor | number, target: Tensor | number, reduction?: string): Tensor;
  /** Mean squared error: the average of the squared differences. */
  mse(prediction: Tensor | number, target: Tensor | number, options: { reduction?: string }): Tensor;
  /** Mean absolute error: the average of the differences without their signs. */
  l1(prediction: Tensor | number, target: Tensor | number, reduction?: string): Tensor;
  /** Mean absolute error: the average of the differences without their signs. */
  l1(prediction: Tensor | number, target: Tensor | number, options: { reduction?: string }): Tensor;
  /** l1 with a rounded bottom: squared below `beta`, straight above. */
  smoothL1(prediction: Tensor | number, target: Tensor | number, reduction?: string, beta?: number): Tensor;
  /** l1 with a rounded bottom: squared below `beta`, straight above. */
  smoothL1(prediction: Tensor | number, target: Tensor | number, options: { reduction?: string; beta?: number }): Tensor;
  /** l1 with a rounded bottom: squared below `beta`, straight above. */
  smoothL1(prediction: Tensor | number, target: Tensor | number, reduction: string, options: { beta?: number }): Tensor;
  /** Half the squared difference below `delta`, a straight line above it. */
  huber(prediction: Tensor | number, target: Tensor | number, reduction?: string, delta?: number): Tensor;
  /** Half the squared difference below `delta`, a straight line above it. */
  huber(prediction: Tensor | number, target: Tensor | number, options: { reduction?: string; delta?: number }): Tensor;
  /** Half the squared difference below `delta`, a straight line above it. */
  huber(prediction: Tensor | number, target: Tensor | number, reduction: string, options: { delta?: number }): Tensor;
  /** Binary cross-entropy of probabilities against targets from 0 to 1; logarithms are cut at -100. */
  bce(probabilities: Tensor | number, target: Tensor | number, weight?: Tensor | number | null, reduction?: string): Tensor;
  /** Binary cross-entropy of probabilities against targets from 0 to 1; logarithms are cut at -100. */
  bce(probabilities: Tensor | number, target: Tensor | number, options: { weight?: Tensor | number; reduction?: string }): Tensor;
  /** Binary cross-entropy of probabilities against targets from 0 to 1; logarithms are cut at -100. */
  bce(probabilities: Tensor | number, target: Tensor | number, weight: Tensor | number | null | undefined, options: { reduction?: string }): Tensor;
  /** bce of sigmoid(logits), exact also for large logits; `posWeight` weighs the positive targets. */
  bceWithLogits(logits: Tensor, target: Tensor | number, weight?: Tensor | number | null, posWeight?: Tensor | number | null, reduction?: string): Tensor;
  /** bce of sigmoid(logits), exact also for large logits; `posWeight` weighs the positive targets. */
  bceWithLogits(logits: Tensor, target: Tensor | number, options: { weight?: Tensor | number; posWeight?: Tensor | number; reduction?: string }): Tensor;
  /** bce of sigmoid(logits), exact also for large logits; `posWeight` weighs the positive targets. */
  bceWithLogits(logits: Tensor, target: Tensor | number, weight: Tensor | number | null | undefined, options: { posWeight?: Tensor | number; reduction?: string }): Tensor;
  /** Kullback-Leibler divergence of target probabilities from log-probabilities; reduction 'batchmean' divides by the batch size. */
  klDiv(logProbabilities: Tensor | number, target: Tensor | number, reduction?: string, logTarget?: boolean): Tensor;
  /** Kullback-Leibler divergence of target probabilities from log-probabilities; reduction 'batchmean' divides by the batch size. */
  klDiv(logProbabilities: Tensor | number, target: Tensor | number, options: { reduction?: string; logTarget?: boolean }): Tensor;
  /** Kullback-Leibler divergence of target probabilities from log-probabilities; reduction 'batchmean' divides by the batch size. */
  klDiv(logProbabilities: Tensor | number, target: Tensor | number, reduction: string, options: { logTarget?: boolean }): Tensor;
  /** x where the target is 1, max(0, margin - x) where it is -1. */
  hingeEmbedding(x: Tensor | number, target: Tensor | number, reduction?: string, margin?: number): Tensor;
  /** x where the target is 1, max(0, margin - x) where it is -1. */
  hingeEmbedding(x: Tensor | number, target: Tensor | number, options: { reduction?: string; margin?: number }): Tensor;
  /** x where the target is 1, max(0, margin - x) where it is -1. */
  hingeEmbedding(x: Tensor | number, target: Tensor | number, reduction: string, options: { margin?: number }): Tensor;
  /** The hinge loss of a classifier: how far the scores of other classes come within `margin` of the score of the target class, averaged over classes. */
  multiMargin(scores: Tensor, target: Tensor, weight?: Tensor | null, reduction?: string, margin?: number, p?: number): Tensor;
  /** The hinge loss of a classifier: how far the scores of other classes come within `margin` of the score of the target class, averaged over classes. */
  multiMargin(scores: Tensor, target: Tensor, options: { weight?: Tensor; reduction?: string; margin?: number; p?: number }): Tensor;
  /** The hinge loss of a classifier: how far the scores of other classes come within `margin` of the score of the target class, averaged over classes. */
  multiMargin(scores: Tensor, target: Tensor, weight: Tensor | null | undefined, options: { reduction?: string; margin?: number; p?: number }): Tensor;
  /** max(0, margin - target * (x - y)): target 1 wants x above y, -1 wants it below. */
  marginRanking(x: Tensor | number, y: Tensor | number, target: Tensor | number, reduction?: string, margin?: number): Tensor;
  /** max(0, margin - target * (x - y)): target 1 wants x above y, -1 wants it below. */
  marginRanking(x: Tensor | number, y: Tensor | number, target: Tensor | number, options: { reduction?: string; margin?: number }): Tensor;
  /** max(0, margin - target * (x - y)): target 1 wants x above y, -1 wants it below. */
  marginRanking(x: Tensor | number, y: Tensor | number, target: Tensor | number, reduction: string, options: { margin?: number }): Tensor;
  /** Cosine of the angle between two vectors along an axis. */
  cosineSimilarity(x: Tensor | number, y: Tensor | number, axis?: number, eps?: number): Tensor;
  /** Cosine of the angle between two vectors along an axis. */
  cosineSimilarity(x: Tensor | number, y: Tensor | number, options: { axis?: number; eps?: number }): Tensor;
  /** Cosine of the angle between two vectors along an axis. */
  cosineSimilarity(x: Tensor | number, y: Tensor | number, axis: number, options: { eps?: number }): Tensor;
  /** 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1. */
  cosineEmbedding(x: Tensor, y: Tensor, target: Tensor | number, reduction?: string, margin?: number): Tensor;
  /** 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1. */
  cosineEmbedding(x: Tensor, y: Tensor, target: Tensor | number, options: { reduction?: string; margin?: number }): Tensor;
  /** 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1. */
  cosineEmbedding(x: Tensor, y: Tensor, target: Tensor | number, reduction: string, options: { margin?: number }): Tensor;
  /** max(0, distance to the positive - distance to the negative + margin). */
  tripletMargin(anchor: Tensor, positive: Tensor, negative: Tensor, reduction?: string, margin?: number, p?: number): Tensor;
  /** max(0, distance to the positive - distance to the negative + margin). */
  tripletMargin(anchor: Tensor, positive: Tensor, negative: Tensor, options: { reduction?: string; margin?: number; p?: number }): Tensor;
  /** max(0, distance to the positive - distance to the negative + margin). */
  tripletMargin(anchor: Tensor, positive: Tensor, negative: Tensor, reduction: string, options: { margin?: number; p?: number }): Tensor;
  /** Loss for counts: the prediction is the logarithm of the expected count, or the count itself when `logInput` is false. */
  poissonNll(prediction: Tensor | number, target: Tensor | number, reduction?: string, logInput?: boolean): Tensor;
  /** Loss for counts: the prediction is the logarithm of the expected count, or the count itself when `logInput` is false. */
  poissonNll(prediction: Tensor | number, target: Tensor | number, options: { reduction?: string; logInput?: boolean }): Tensor;
  /** Loss for counts: the prediction is the logarithm of the expected count, or the count itself when `logInput` is false. */
  poissonNll(prediction: Tensor | number, target: Tensor | number, reduction: string, options: { logInput?: boolean }): Tensor;
  /** Connectionist temporal classification: log-probabilities (time, batch, classes) against shorter targets (batch, longest target), over all ways to spread them over time with blanks between. The mean divides each loss by the length of its target; a target without time enough costs Infinity, or with `zeroInfinity` 0. */
  ctcLoss(logProbabilities: Tensor, target: Tensor, inputLengths?: number | readonly number[], targetLengths?: number | readonly number[], blank?: number, reduction?: string, zeroInfinity?: boolean): Tensor;
  /** Connectionist temporal classification: log-probabilities (time, batch, classes) against shorter targets (batch, longest target), over all ways to spread them over time with blanks between. The mean divides each loss by the length of its target; a target without time enough costs Infinity, or with `zeroInfinity` 0. */
  ctcLoss(logProbabilities: Tensor, target: Tensor, options: { inputLengths?: number | readonly number[]; targetLengths?: number | readonly number[]; blank?: number; reduction?: string; zeroInfinity?: boolean }): Tensor;
  /** Connectionist temporal classification: log-probabilities (time, batch, classes) against shorter targets (batch, longest target), over all ways to spread them over time with blanks between. The mean divides each loss by the length of its target; a target without time enough costs Infinity, or with `zeroInfinity` 0. */
  ctcLoss(logProbabilities: Tensor, target: Tensor, inputLengths: number | readonly number[], options: { targetLengths?: number | readonly number[]; blank?: number; reduction?: string; zeroInfinity?: boolean }): Tensor;
  /** Brings every channel to mean 0 and variance 1: over the batch while training (the running averages are then updated in place), else by the running averages. */
  batchNorm(x: Tensor, runningMean?: Tensor | null, runningVar?: Tensor | null, weight?: Tensor | null, bias?: Tensor | null, training?: boolean, momentum?: number, eps?: number): Tensor;
  /** Brings every channel to mean 0 and variance 1: over the batch while training (the running averages are then updated in place), else by the running averages. */
  batchNorm(x: Tensor, options: { runningMean?: Tensor; runningVar?: Tensor; weight?: Tensor; bias?: Tensor; training?: boolean; momentum?: number; eps?: number }): Tensor;
  /** Brings every channel to mean 0 and variance 1: over the batch while training (the running averages are then updated in place), else by the running averages. */
  batchNorm(x: Tensor, runningMean: Tensor | null | undefined, options: { runningVar?: Tensor; weight?: Tensor; bias?: Tensor; training?: boolean; momentum?: number; eps?: number }): Tensor;
  /** Brings the last axes of each example to mean 0 and variance 1, then scales and shifts them. Without `normalizedShape`: the axes of the weight, or the last one. */
  layerNorm(x: Tensor, weight?: Tensor | null, bias?: Tensor | null, normalizedShape?: number | readonly number[], eps?: number): Tensor;
  /** Brings the last axes of each example to mean 0 and variance 1, then scales and shifts them. Without `normalizedShape`: the axes of the weight, or the last one. */
  layerNorm(x: Tensor, options: { weight?: Tensor; bias?: Tensor; normalizedShape?: number | readonly number[]; eps?: number }): Tensor;
  /** Brings the last axes of each example to mean 0 and variance 1, then scales and shifts them. Without `normalizedShape`: the axes of the weight, or the last one. */
  layerNorm(x: Tensor, weight: Tensor | null | undefined, options: { bias?: Tensor; normalizedShape?: number | readonly number[]; eps?: number }): Tensor;
  /** Divides the last axes of each example by the root of their mean square, then scales them by the weight. */
  rmsNorm(x: Tensor, weight?: Tensor | null, normalizedShape?: number | readonly number[], eps?: number): Tensor;
  /** Divides the last axes of each example by the root of their mean square, then scales them by the weight. */
  rmsNorm(x: Tensor, options: { weight?: Tensor; normalizedShape?: number | readonly number[]; eps?: number }): Tensor;
  /** Divides the last axes of each example by the root of their mean square, then scales them by the weight. */
  rmsNorm(x: Tensor, weight: Tensor | null | undefined, options: { normalizedShape?: number | readonly number[]; eps?: number }): Tensor;
  /** Brings groups of channels of each example to mean 0 and variance 1, then scales and shifts every channel. */
  groupNorm(x: Tensor, weight: Tensor | null | undefined, bias: Tensor | null | undefined, groups: number, eps?: number): Tensor;
  /** Brings groups of channels of each example to mean 0 and variance 1, then scales and shifts every channel. */
  groupNorm(x: Tensor, weight: Tensor | null | undefined, bias: Tensor | null | undefined, groups: number, options: { eps?: number }): Tensor;
  /** Brings each channel of each example to mean 0 and variance 1 over its pixels, then scales and shifts it. */
  instanceNorm(x: Tensor, weight?: Tensor | null, bias?: Tensor | null, eps?: number): Tensor;
  /** Brings each channel of each example to mean 0 and variance 1 over its pixels, then scales and shifts it. */
  instanceNorm(x: Tensor, options: { weight?: Tensor; bias?: Tensor; eps?: number }): Tensor;
  /** Brings each channel of each example to mean 0 and variance 1 over its pixels, then scales and shifts it. */
  instanceNorm(x: Tensor, weight: Tensor | null | undefined, options: { bias?: Tensor; eps?: number }): Tensor;
  /** Divides vectors along an axis by their p-norm, or by eps when that is larger. */
  normalize(x: Tensor, p?: number, axis?: number, eps?: number): Tensor;
  /** Divides vectors along an axis by their p-norm, or by eps when that is larger. */
  normalize(x: Tensor, options: { p?: number; axis?: number; eps?: number }): Tensor;
  /** Divides vectors along an axis by their p-norm, or by eps when that is larger. */
  normalize(x: Tensor, p: number, options: { axis?: number; eps?: number }): Tensor;
  /** For every query the average of the values, weighted by softmax of query times key. A bool mask says which keys may be seen, a floating one is added; isCausal hides later ones. */
  scaledDotProductAttention(query: Tensor, key: Tensor, value: Tensor, mask?: Tensor | number | null, dropoutP?: number, isCausal?: boolean, scale?: number): Tensor;
  /** For every query the average of the values, weighted by softmax of query times key. A bool mask says which keys may be seen, a floating one is added; isCausal hides later ones. */
  scaledDotProductAttention(query: Tensor, key: Tensor, value: Tensor, options: { mask?: Tensor | number; dropoutP?: number; isCausal?: boolean; scale?: number }): Tensor;
  /** For every query the average of the values, weighted by softmax of query times key. A bool mask says which keys may be seen, a floating one is added; isCausal hides later ones. */
  scaledDotProductAttention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | number | null | undefined, options: { dropoutP?: number; isCausal?: boolean; scale?: number }): Tensor;
  /** One step of a plain recurrent layer: the new hidden state, tanh(W x + U h + b). */
  rnnCell(x: Tensor, h: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh?: Tensor | null, biasHh?: Tensor | null, nonlinearity?: string): Tensor;
  /** One step of a plain recurrent layer: the new hidden state, tanh(W x + U h + b). */
  rnnCell(x: Tensor, h: Tensor, weightIh: Tensor, weightHh: Tensor, options: { biasIh?: Tensor; biasHh?: Tensor; nonlinearity?: string }): Tensor;
  /** One step of a plain recurrent layer: the new hidden state, tanh(W x + U h + b). */
  rnnCell(x: Tensor, h: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh: Tensor | null | undefined, options: { biasHh?: Tensor; nonlinearity?: string }): Tensor;
  /** One step of a gated recurrent unit: the new hidden state. Gates in PyTorch's order: reset, update, new. */
  gruCell(x: Tensor, h: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh?: Tensor | null, biasHh?: Tensor | null): Tensor;
  /** One step of a gated recurrent unit: the new hidden state. Gates in PyTorch's order: reset, update, new. */
  gruCell(x: Tensor, h: Tensor, weightIh: Tensor, weightHh: Tensor, options: { biasIh?: Tensor; biasHh?: Tensor }): Tensor;
  /** One step of a gated recurrent unit: the new hidden state. Gates in PyTorch's order: reset, update, new. */
  gruCell(x: Tensor, h: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh: Tensor | null | undefined, options: { biasHh?: Tensor }): Tensor;
  /** One step of a long short-term memory: (2, batch, hidden), the new hidden state and the new memory. Gates in PyTorch's order: input, forget, new, output. */
  lstmCell(x: Tensor, h: Tensor, c: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh?: Tensor | null, biasHh?: Tensor | null): Tensor;
  /** One step of a long short-term memory: (2, batch, hidden), the new hidden state and the new memory. Gates in PyTorch's order: input, forget, new, output. */
  lstmCell(x: Tensor, h: Tensor, c: Tensor, weightIh: Tensor, weightHh: Tensor, options: { biasIh?: Tensor; biasHh?: Tensor }): Tensor;
  /** One step of a long short-term memory: (2, batch, hidden), the new hidden state and the new memory. Gates in PyTorch's order: input, forget, new, output. */
  lstmCell(x: Tensor, h: Tensor, c: Tensor, weightIh: Tensor, weightHh: Tensor, biasIh: Tensor | null | undefined, options: { biasHh?: Tensor }): Tensor;
  /** The same elements, row by row, in another shape; one size may be -1 and is worked out. */
  reshape(x: Tensor, shape: number | readonly number[]): Tensor;
  /** The same elements, row by row, in another shape; one size may be -1 and is worked out. */
  reshape(x: Tensor, ...shape: number[]): Tensor;
  /** As reshape, but never copies: an error when the memory order does not allow it. */
  view(x: Tensor, shape: number | readonly number[]): Tensor;
  /** As reshape, but never copies: an error when the memory order does not allow it. */
  view(x: Tensor, ...shape: number[]): Tensor;
  /** Merges the axes from `first` to `last` into one. */
  flatten(x: Tensor, first?: number, last?: number): Tensor;
  /** Merges the axes from `first` to `last` into one. */
  flatten(x: Tensor, options: { first?: number; last?: number }): Tensor;
  /** Merges the axes from `first` to `last` into one. */
  flatten(x: Tensor, first: number, options: { last?: number }): Tensor;
  /** Splits one axis into several; one of their sizes may be -1. */
  unflatten(x: Tensor, axis: number, sizes: number | readonly number[]): Tensor;
  /** Drops axes of size 1: all of them, or those named that have size 1. */
  squeeze(x: Tensor, axes?: number | readonly number[]): Tensor;
  /** Drops axes of size 1: all of them, or those named that have size 1. */
  squeeze(x: Tensor, options: { axes?: number | readonly number[] }): Tensor;
  /** Drops axes of size 1: all of them, or those named that have size 1. */
  squeeze(x: Tensor, ...axes: number[]): Tensor;
  /** Puts in a new axis of size 1 at the given place. */
  unsqueeze(x: Tensor, axis: number): Tensor;
  /** Puts the axes in another order. */
  permute(x: Tensor, axes: number | readonly number[]): Tensor;
  /** Puts the axes in another order. */
  permute(x: Tensor, ...axes: number[]): Tensor;
  /** Swaps two axes; without arguments the last two. */
  transpose(x: Tensor, first?: number, second?: number): Tensor;
  /** Swaps two axes; without arguments the last two. */
  transpose(x: Tensor, options: { first?: number; second?: number }): Tensor;
  /** Swaps two axes; without arguments the last two. */
  transpose(x: Tensor, first: number, options: { second?: number }): Tensor;
  /** Repeats axes of size 1 to the sizes given, without copying; -1 keeps a size, new axes come first. */
  expand(x: Tensor, shape: number | readonly number[]): Tensor;
  /** Repeats axes of size 1 to the sizes given, without copying; -1 keeps a size, new axes come first. */
  expand(x: Tensor, ...shape: number[]): Tensor;
  /** Elements from `start` up to, not including, `end` along one axis; negative numbers count from the end. */
  slice(x: Tensor, start: number, end?: number, axis?: number, step?: number): Tensor;
  /** Elements from `start` up to, not including, `end` along one axis; negative numbers count from the end. */
  slice(x: Tensor, start: number, options: { end?: number; axis?: number; step?: number }): Tensor;
  /** Elements from `start` up to, not including, `end` along one axis; negative numbers count from the end. */
  slice(x: Tensor, start: number, end: number, options: { axis?: number; step?: number }): Tensor;
  /** One place of an axis, without that axis; negative indices count from the end. */
  select(x: Tensor, axis: number, index: number): Tensor;
  /** `length` elements of an axis from `start` on. */
  narrow(x: Tensor, axis: number, start: number, length: number): Tensor;
  /** A copy with the elements row by row in memory. */
  contiguous(x: Tensor): Tensor;
  /** Joins tensors along an axis that exists; all other axes must agree. */
  concat(tensors: readonly Tensor[], axis?: number): Tensor;
  /** Joins tensors along an axis that exists; all other axes must agree. */
  concat(tensors: readonly Tensor[], options: { axis?: number }): Tensor;
  /** Joins tensors of one shape along a new axis. */
  stack(tensors: readonly Tensor[], axis?: number): Tensor;
  /** Joins tensors of one shape along a new axis. */
  stack(tensors: readonly Tensor[], options: { axis?: number }): Tensor;
  /** Adds elements before and after axes: pairs (before, after) from the last axis on, as in PyTorch; negative numbers cut off. Modes: 'constant' (value), 'reflect', 'replicate', 'circular'. */
  pad(x: Tensor, padding: number | readonly number[], mode?: string, value?: number): Tensor;
  /** Adds elements before and after axes: pairs (before, after) from the last axis on, as in PyTorch; negative numbers cut off. Modes: 'constant' (value), 'reflect', 'replicate', 'circular'. */
  pad(x: Tensor, padding: number | readonly number[], options: { mode?: string; value?: number }): Tensor;
  /** Adds elements before and after axes: pairs (before, after) from the last axis on, as in PyTorch; negative numbers cut off. Modes: 'constant' (value), 'reflect', 'replicate', 'circular'. */
  pad(x: Tensor, padding: number | readonly number[], mode: string, options: { value?: number }): Tensor;
  /** Reverses the order along axes, or along all of them. */
  flip(x: Tensor, axes?: number | readonly number[]): Tensor;
  /** Reverses the order along axes, or along all of them. */
  flip(x: Tensor, options: { axes?: number | readonly number[] }): Tensor;
  /** Reverses the order along axes, or along all of them. */
  flip(x: Tensor, ...axes: number[]): Tensor;
  /** Moves elements along axes; those pushed out come in on the other side. Without `axes` the flattened tensor is rolled. */
  roll(x: Tensor, shifts: number | readonly number[], axes?: number | readonly number[]): Tensor;
  /** Moves elements along axes; those pushed out come in on the other side. Without `axes` the flattened tensor is rolled. */
  roll(x: Tensor, shifts: number | readonly number[], options: { axes?: number | readonly number[] }): Tensor;
  /** Repeats the whole tensor along each axis, new axes first. */
  repeat(x: Tensor, repeats: number | readonly number[]): Tensor;
  /** Repeats the whole tensor along each axis, new axes first. */
  repeat(x: Tensor, ...repeats: number[]): Tensor;
  /** As repeat, but with fewer numbers than axes the first axes stay as they are. */
  tile(x: Tensor, repeats: number | readonly number[]): Tensor;
  /** As repeat, but with fewer numbers than axes the first axes stay as they are. */
  tile(x: Tensor, ...repeats: number[]): Tensor;
  /** Repeats each element `repeats` times in a row along an axis; without `axis` of the flattened tensor. */
  repeatInterleave(x: Tensor, repeats: number, axis?: number): Tensor;
  /** Repeats each element `repeats` times in a row along an axis; without `axis` of the flattened tensor. */
  repeatInterleave(x: Tensor, repeats: number, options: { axis?: number }): Tensor;
  /** Trades channels for resolution: (C * r * r, H, W) becomes (C, H * r, W * r). */
  pixelShuffle(x: Tensor, upscaleFactor: number): Tensor;
  /** The reverse of pixelShuffle: (C, H * r, W * r) becomes (C * r * r, H, W). */
  pixelUnshuffle(x: Tensor, downscaleFactor: number): Tensor;
  /** Along an axis, takes for every element of the index the element of x with that number. */
  gather(x: Tensor, index: Tensor, axis: number): Tensor;
  /** A copy of x in which, along an axis, each element of the source is added to the place that the index names. */
  scatterAdd(x: Tensor, index: Tensor, source: Tensor, axis: number): Tensor;
  /** A copy of x in which, along an axis, each element of the source replaces the place that the index names; the last one wins. */
  scatter(x: Tensor, index: Tensor, source: Tensor, axis: number): Tensor;
  /** The places of an axis that the index names, in that order. */
  indexSelect(x: Tensor, index: Tensor, axis?: number): Tensor;
  /** The places of an axis that the index names, in that order. */
  indexSelect(x: Tensor, index: Tensor, options: { axis?: number }): Tensor;
  /** A copy of x in which each place of the source along an axis is added to the place that the index names. */
  indexAdd(x: Tensor, index: Tensor, source: Tensor, axis?: number): Tensor;
  /** A copy of x in which each place of the source along an axis is added to the place that the index names. */
  indexAdd(x: Tensor, index: Tensor, source: Tensor, options: { axis?: number }): Tensor;
  /** Rows of axis 0 by number, arranged as the index is: x[index] in PyTorch. */
  index(x: Tensor, index: Tensor): Tensor;
  /** For every id the row of the weight with that number. */
  embedding(ids: Tensor, weight: Tensor): Tensor;
  /** As gather, with x and the index broadcast against each other on all axes but one. */
  takeAlong(x: Tensor, index: Tensor, axis: number): Tensor;
  /** A copy in which `value` stands where the mask is true. */
  maskedFill(x: Tensor, mask: Tensor, value: number): Tensor;
  /** The elements where the mask is true, as a list. */
  maskedSelect(x: Tensor | number, mask: Tensor | number): Tensor;
  /** The places of the elements that are not zero: one row of indices each. */
  nonzero(x: Tensor): Tensor;
  /** Class ids as rows of zeros with a single 1; without `classes` there are as many as the largest id needs. */
  oneHot(ids: Tensor, classes?: number): Tensor;
  /** Class ids as rows of zeros with a single 1; without `classes` there are as many as the largest id needs. */
  oneHot(ids: Tensor, options: { classes?: number }): Tensor;
  /** Random numbers, uniform in [0, 1). */
  rand(shape: number | readonly number[], dtype?: DType): Tensor;
  /** Random numbers, uniform in [0, 1). */
  rand(shape: number | readonly number[], options: { dtype?: DType }): Tensor;
  /** Random numbers from the normal distribution with mean 0 and variance 1. */
  randn(shape: number | readonly number[], dtype?: DType): Tensor;
  /** Random numbers from the normal distribution with mean 0 and variance 1. */
  randn(shape: number | readonly number[], options: { dtype?: DType }): Tensor;
  /** Random whole numbers from `low` up to, not including, `high`, as int32. */
  randint(low: number, high: number, shape: number | readonly number[]): Tensor;
  /** The whole numbers from 0 to n - 1 in random order. */
  randperm(n: number): Tensor;
  /** 1 with the probability given by each element, else 0. */
  bernoulli(p: Tensor): Tensor;
  /** While training, sets each element to zero with probability p and divides the others by 1 - p, so that the mean stays. */
  dropout(x: Tensor, p?: number, training?: boolean): Tensor;
  /** While training, sets each element to zero with probability p and divides the others by 1 - p, so that the mean stays. */
  dropout(x: Tensor, options: { p?: number; training?: boolean }): Tensor;
  /** While training, sets each element to zero with probability p and divides the others by 1 - p, so that the mean stays. */
  dropout(x: Tensor, p: number, options: { training?: boolean }): Tensor;
  /** dropout of whole channels: all of (batch, channel) is kept or zeroed together. */
  dropout2d(x: Tensor, p?: number, training?: boolean): Tensor;
  /** dropout of whole channels: all of (batch, channel) is kept or zeroed together. */
  dropout2d(x: Tensor, options: { p?: number; training?: boolean }): Tensor;
  /** dropout of whole channels: all of (batch, channel) is kept or zeroed together. */
  dropout2d(x: Tensor, p: number, options: { training?: boolean }): Tensor;
}

/** Optimizers and their settings. */
export interface Optimizers {
  /**
   * Stochastic gradient descent: each parameter moves against its gradient, times the learning rate; momentum keeps part of the last moves.
   *
   * Defaults: `lr = 0.01, momentum = 0, dampening = 0, weightDecay = 0, nesterov = false, maximize = false`
   */
  sgd(trainable: Trainable, settings?: { lr?: number; momentum?: number; dampening?: number; weightDecay?: number; nesterov?: boolean; maximize?: boolean }): Optimizer;
  /**
   * Adam: steps of about the learning rate in every direction, from running means of the gradient and of its square; weight decay is added to the gradient.
   *
   * Defaults: `lr = 0.001, betas = [0.9, 0.999], eps = 1e-08, weightDecay = 0, amsgrad = false, maximize = false`
   */
  adam(trainable: Trainable, settings?: { lr?: number; betas?: readonly [number, number]; eps?: number; weightDecay?: number; amsgrad?: boolean; maximize?: boolean }): Optimizer;
  /**
   * Adam with decoupled weight decay: weights shrink by the learning rate times weightDecay, apart from the gradient.
   *
   * Defaults: `lr = 0.001, betas = [0.9, 0.999], eps = 1e-08, weightDecay = 0.01, amsgrad = false, maximize = false`
   */
  adamw(trainable: Trainable, settings?: { lr?: number; betas?: readonly [number, number]; eps?: number; weightDecay?: number; amsgrad?: boolean; maximize?: boolean }): Optimizer;
  /**
   * RMSProp: the gradient divided by the root of a running mean of its square; centered subtracts the running mean of the gradient first.
   *
   * Defaults: `lr = 0.01, alpha = 0.99, eps = 1e-08, weightDecay = 0, momentum = 0, centered = false, maximize = false`
   */
  rmsprop(trainable: Trainable, settings?: { lr?: number; alpha?: number; eps?: number; weightDecay?: number; momentum?: number; centered?: boolean; maximize?: boolean }): Optimizer;
  /**
   * Adagrad: the gradient divided by the root of the sum of all its squares so far, so steps shrink as training goes on.
   *
   * Defaults: `lr = 0.01, lrDecay = 0, weightDecay = 0, initialAccumulatorValue = 0, eps = 1e-10, maximize = false`
   */
  adagrad(trainable: Trainable, settings?: { lr?: number; lrDecay?: number; weightDecay?: number; initialAccumulatorValue?: number; eps?: number; maximize?: boolean }): Optimizer;
  /**
   * Adadelta: steps scaled by the ratio of how far the parameter has moved lately to how large its gradient has been.
   *
   * Defaults: `lr = 1, rho = 0.9, eps = 1e-06, weightDecay = 0, maximize = false`
   */
  adadelta(trainable: Trainable, settings?: { lr?: number; rho?: number; eps?: number; weightDecay?: number; maximize?: boolean }): Optimizer;
  /**
   * Adam with Nesterov momentum: looks one step ahead; momentumDecay sets how fast the momentum grows to its full size.
   *
   * Defaults: `lr = 0.002, betas = [0.9, 0.999], eps = 1e-08, weightDecay = 0, momentumDecay = 0.004`
   */
  nadam(trainable: Trainable, settings?: { lr?: number; betas?: readonly [number, number]; eps?: number; weightDecay?: number; momentumDecay?: number }): Optimizer;
  /**
   * Rectified Adam: plain momentum in the first steps, until the running mean of the square can be trusted.
   *
   * Defaults: `lr = 0.001, betas = [0.9, 0.999], eps = 1e-08, weightDecay = 0`
   */
  radam(trainable: Trainable, settings?: { lr?: number; betas?: readonly [number, number]; eps?: number; weightDecay?: number }): Optimizer;
  /**
   * Adam with the largest recent gradient in place of the root of its mean square.
   *
   * Defaults: `lr = 0.002, betas = [0.9, 0.999], eps = 1e-08, weightDecay = 0, maximize = false`
   */
  adamax(trainable: Trainable, settings?: { lr?: number; betas?: readonly [number, number]; eps?: number; weightDecay?: number; maximize?: boolean }): Optimizer;
  /**
   * Averaged stochastic gradient descent: plain steps that slowly shrink; the state `ax` is the average of the parameters from step t0 on.
   *
   * Defaults: `lr = 0.01, lambd = 0.0001, alpha = 0.75, t0 = 1000000, weightDecay = 0, maximize = false`
   */
  asgd(trainable: Trainable, settings?: { lr?: number; lambd?: number; alpha?: number; t0?: number; weightDecay?: number; maximize?: boolean }): Optimizer;
  /**
   * Resilient propagation: only the sign of each gradient counts, and every parameter has its own step, which grows while the sign stays; for full batches.
   *
   * Defaults: `lr = 0.01, etas = [0.5, 1.2], stepSizes = [1e-06, 50], maximize = false`
   */
  rprop(trainable: Trainable, settings?: { lr?: number; etas?: readonly [number, number]; stepSizes?: readonly [number, number]; maximize?: boolean }): Optimizer;
  /**
   * Lion: every parameter moves by exactly the learning rate, in the direction of the sign of its momentum; wants a smaller learning rate than Adam.
   *
   * Defaults: `lr = 0.0001, betas = [0.9, 0.99], weightDecay = 0`
   */
  lion(trainable: Trainable, settings?: { lr?: number; betas?: readonly [number, number]; weightDecay?: number }): Optimizer;
  /**
   * Muon: the momentum of each weight matrix is replaced by the nearest orthogonal matrix; only for parameters of two or more axes (filters count as [out, rest]).
   *
   * Defaults: `lr = 0.001, weightDecay = 0.1, momentum = 0.95, nesterov = true, eps = 1e-07, nsSteps = 5`
   */
  muon(trainable: Trainable, settings?: { lr?: number; weightDecay?: number; momentum?: number; nesterov?: boolean; eps?: number; nsSteps?: number }): Optimizer;
}

/** Names of initializers, and the attributes of each. */
export interface Initializers {
  /** All elements 0. */
  zeros: Record<string, never>;
  /** All elements 1. */
  ones: Record<string, never>;
  /** All elements equal to value. */
  constant: { value: number };
  /** Uniformly random numbers from low up to, not including, high. Defaults: `low = 0, high = 1` */
  uniform: { low?: number; high?: number };
  /** Normally distributed numbers with this mean and standard deviation. Defaults: `mean = 0, std = 1` */
  normal: { mean?: number; std?: number };
  /** Normally distributed numbers, of which only those between low and high occur. Defaults: `mean = 0, std = 1, low = -2, high = 2` */
  truncNormal: { mean?: number; std?: number; low?: number; high?: number };
  /** Uniform numbers of standard deviation gain * sqrt(2 / (fanIn + fanOut)): Glorot's choice, for tanh and sigmoid. Defaults: `gain = 1` */
  xavierUniform: { gain?: number };
  /** Normal numbers of standard deviation gain * sqrt(2 / (fanIn + fanOut)). Defaults: `gain = 1` */
  xavierNormal: { gain?: number };
  /** Uniform numbers of standard deviation gain / sqrt(fan): He's choice, for relu and its kin; a is the slope that leakyRelu has for negative numbers. Defaults: `a = 0, mode = 'fanIn', nonlinearity = 'leakyRelu'` */
  kaimingUniform: { a?: number; mode?: string; nonlinearity?: string };
  /** Normal numbers of standard deviation gain / sqrt(fan). Defaults: `a = 0, mode = 'fanIn', nonlinearity = 'leakyRelu'` */
  kaimingNormal: { a?: number; mode?: string; nonlinearity?: string };
  /** A random orthogonal matrix times gain; the axes after the first count as one. Defaults: `gain = 1` */
  orthogonal: { gain?: number };
}
