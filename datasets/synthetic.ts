// Generated datasets: small, seeded, nothing to download. Plain arrays come
// out; tensors and batches are the engine API's part.
import { DatasetError } from './error.ts'
import { createRandom, type Random } from './random.ts'

/** A generated dataset. The arrays belong to the caller. */
export interface Generated {
  readonly name: string
  readonly kind: 'regression' | 'classification'
  readonly examples: number
  readonly featureCount: number
  /** examples * featureCount numbers, example by example. */
  readonly features: Float32Array
  /** Regression: one number per example. Classification: one class id per example, as int32. */
  readonly labels: Float32Array | Int32Array
  /** Names of the classes; empty for regression. */
  readonly classes: readonly string[]
}

/** What every generator takes. The same options give the same numbers on every machine. */
export interface GenerateOptions {
  /** Number of examples. */
  readonly examples?: number
  /** Standard deviation of the normal noise that is added. */
  readonly noise?: number
  readonly seed?: number
}

export interface LineOptions extends GenerateOptions {
  readonly slope?: number
  readonly intercept?: number
  /** x is uniform between `from` and `to`. */
  readonly from?: number
  readonly to?: number
}

/** Points around the line y = slope * x + intercept. */
export function line(options: LineOptions = {}): Generated {
  const { slope = 2, intercept = 1, from = -2, to = 2 } = checked('line', options, { slope: 'any', intercept: 'any', from: 'any', to: 'any' })
  return curve('line', options, { noise: 0.3, from, to, f: (x) => slope * x + intercept })
}

export interface SineOptions extends GenerateOptions {
  /** Number of full waves between x = -1 and x = 1. */
  readonly periods?: number
}

/** Points around the curve y = sin(pi * periods * x), x between -1 and 1. */
export function sine(options: SineOptions = {}): Generated {
  const { periods = 2 } = checked('sine', options, { periods: 'any' })
  return curve('sine', options, { noise: 0.1, from: -1, to: 1, f: (x) => Math.sin(Math.PI * periods * x) })
}

/** Two half circles that reach into each other. */
export function moons(options: GenerateOptions = {}): Generated {
  return points('moons', options, { noise: 0.1, classCount: 2 }, (label, random) => {
    const angle = Math.PI * random.uniform()
    return label === 0 ? [Math.cos(angle), Math.sin(angle)] : [1 - Math.cos(angle), 0.5 - Math.sin(angle)]
  })
}

export interface SpiralOptions extends GenerateOptions {
  /** Number of arms, each a class of its own. */
  readonly arms?: number
  /** How often an arm goes around the centre. */
  readonly turns?: number
}

/** Arms that wind around the centre, out to radius 1. */
export function spiral(options: SpiralOptions = {}): Generated {
  const { arms = 2, turns = 1 } = checked('spiral', options, { arms: 'count', turns: 'any' })
  return points('spiral', options, { noise: 0.02, classCount: arms }, (label, random) => {
    const along = random.uniform()
    const angle = 2 * Math.PI * (turns * along + label / arms)
    return [along * Math.cos(angle), along * Math.sin(angle)]
  })
}

/** The square from -1 to 1; class 1 where the two features differ in sign. No line separates the classes. */
export function xor(options: GenerateOptions = {}): Generated {
  return points('xor', options, { noise: 0, classCount: 2 }, (label, random) => {
    const [x, y] = [random.uniform(), random.uniform()]
    const flip = random.bits() % 2 === 0 ? 1 : -1
    return [flip * x, (label === 1 ? -flip : flip) * y]
  })
}

export interface CirclesOptions extends GenerateOptions {
  /** Radius of the inner circle; that of the outer is 1. */
  readonly factor?: number
}

/** A circle within a circle. */
export function circles(options: CirclesOptions = {}): Generated {
  const { factor = 0.5 } = checked('circles', options, { factor: 'positive' })
  return points('circles', options, { noise: 0.05, classCount: 2 }, (label, random) => {
    const angle = 2 * Math.PI * random.uniform()
    const radius = label === 0 ? 1 : factor
    return [radius * Math.cos(angle), radius * Math.sin(angle)]
  })
}

export interface GeneratorInfo {
  readonly name: string
  readonly title: string
  /** The generator; options it does not name are refused by the types only. */
  readonly generate: (options?: GenerateOptions) => Generated
}

/** Every generator, for lists and tests. */
export const synthetic: readonly GeneratorInfo[] = [
  { name: 'line', title: 'Points around a line', generate: line },
  { name: 'sine', title: 'Points around a sine wave', generate: sine },
  { name: 'moons', title: 'Two moons', generate: moons },
  { name: 'spiral', title: 'Spirals', generate: spiral },
  { name: 'xor', title: 'Exclusive or', generate: xor },
  { name: 'circles', title: 'A circle within a circle', generate: circles },
]

function curve(
  name: string,
  options: GenerateOptions,
  shape: { noise: number; from: number; to: number; f: (x: number) => number },
): Generated {
  const { examples = 100, noise = shape.noise, seed = 0 } = checked(name, options, {})
  const random = createRandom(seed)
  const features = new Float32Array(examples)
  const labels = new Float32Array(examples)
  for (let i = 0; i < examples; i++) {
    // The label belongs to the x that the learner gets, which is a float32.
    features[i] = shape.from + (shape.to - shape.from) * random.uniform()
    labels[i] = shape.f(features[i] as number) + noise * random.normal()
  }
  return { name, kind: 'regression', examples, featureCount: 1, features, labels, classes: [] }
}

/** Classes alternate, so any run of examples is balanced; order is left to the batches. */
function points(
  name: string,
  options: GenerateOptions,
  shape: { noise: number; classCount: number },
  place: (label: number, random: Random) => [x: number, y: number],
): Generated {
  const { examples = 200, noise = shape.noise, seed = 0 } = checked(name, options, {})
  const random = createRandom(seed)
  const features = new Float32Array(examples * 2)
  const labels = new Int32Array(examples)
  for (let i = 0; i < examples; i++) {
    const label = i % shape.classCount
    const [x, y] = place(label, random)
    labels[i] = label
    features[2 * i] = x + noise * random.normal()
    features[2 * i + 1] = y + noise * random.normal()
  }
  const classes = Array.from({ length: shape.classCount }, (_, label) => String(label))
  return { name, kind: 'classification', examples, featureCount: 2, features, labels, classes }
}

type Rule = 'any' | 'count' | 'positive' | 'natural'

const rules: Readonly<Record<Rule, { says: string; holds: (value: number) => boolean }>> = {
  any: { says: 'a finite number', holds: Number.isFinite },
  positive: { says: 'a number above 0', holds: (value) => Number.isFinite(value) && value > 0 },
  natural: { says: 'a number of at least 0', holds: (value) => Number.isFinite(value) && value >= 0 },
  count: { says: 'a whole number of at least 1', holds: (value) => Number.isSafeInteger(value) && value >= 1 },
}

/** The options, after a check of those that are present. Throws a DatasetError that names the wrong one. */
function checked<Options extends GenerateOptions>(
  name: string,
  options: Options,
  own: { readonly [key in Exclude<keyof Options, keyof GenerateOptions>]?: Rule },
): Options {
  const all: Record<string, Rule> = { examples: 'count', noise: 'natural', seed: 'any', ...own }
  for (const [key, rule] of Object.entries(all)) {
    const value = (options as Record<string, unknown>)[key]
    if (value === undefined || (typeof value === 'number' && rules[rule].holds(value))) continue
    throw new DatasetError('request', `${name}: "${key}" must be ${rules[rule].says}, got ${String(value)}`)
  }
  return options
}
