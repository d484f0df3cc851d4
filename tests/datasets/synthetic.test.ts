// Generated datasets: one loop over the table, and the shape of each by a fact
// that only that shape has.
import { describe, expect, test } from 'vitest'
import { circles, line, moons, sine, spiral, synthetic, xor } from '../../datasets/synthetic.ts'

const rows = (data: { features: Float32Array; featureCount: number; examples: number }): number[][] =>
  Array.from({ length: data.examples }, (_, i) => [...data.features.subarray(i * data.featureCount, (i + 1) * data.featureCount)])

describe.each(synthetic.map((row) => [row.name, row] as const))('%s', (name, { generate }) => {
  test('the same options give the same numbers, another seed gives others', () => {
    expect(generate({ seed: 3 })).toEqual(generate({ seed: 3 }))
    expect(generate({ seed: 3 }).features).not.toEqual(generate({ seed: 4 }).features)
  })

  test('sizes fit, everything is finite, classes are balanced', () => {
    const data = generate({ examples: 60 })
    expect(data).toMatchObject({ name, examples: 60 })
    expect(data.features.length).toBe(60 * data.featureCount)
    expect(data.labels.length).toBe(60)
    expect([...data.features, ...data.labels].every(Number.isFinite)).toBe(true)
    data.classes.forEach((_, label) => {
      expect(data.labels.filter((each) => each === label).length).toBe(60 / data.classes.length)
    })
    expect(data.classes.length > 0).toBe(data.kind === 'classification')
  })

  test('wrong options are named', () => {
    expect(() => generate({ examples: 0 })).toThrow(`${name}: "examples" must be a whole number of at least 1, got 0`)
    expect(() => generate({ noise: -1 })).toThrow(`${name}: "noise" must be a number of at least 0, got -1`)
    expect(() => generate({ seed: Number.NaN })).toThrow(`${name}: "seed" must be a finite number, got NaN`)
  })
})

describe('shapes without noise', () => {
  test('a line is a line, within its range', () => {
    const data = line({ slope: -3, intercept: 0.5, noise: 0, from: 1, to: 4 })
    rows(data).forEach(([x], i) => {
      expect(x).toBeGreaterThanOrEqual(1)
      expect(x).toBeLessThanOrEqual(4)
      expect(data.labels[i]).toBeCloseTo(-3 * x! + 0.5, 5)
    })
  })

  test('least squares finds slope and intercept again, within the noise', () => {
    const data = line({ examples: 400, slope: 2, intercept: 1, noise: 0.3, seed: 9 })
    const n = data.examples
    const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, value) => sum + value, 0) / n
    const [mx, my] = [mean(data.features), mean(data.labels)]
    let covariance = 0
    let variance = 0
    data.features.forEach((x, i) => {
      covariance += (x - mx) * (data.labels[i]! - my)
      variance += (x - mx) ** 2
    })
    expect(covariance / variance).toBeCloseTo(2, 1)
    expect(my - (covariance / variance) * mx).toBeCloseTo(1, 1)
  })

  test('a sine wave has as many waves as asked', () => {
    const data = sine({ noise: 0, periods: 3 })
    rows(data).forEach(([x], i) => expect(data.labels[i]).toBeCloseTo(Math.sin(3 * Math.PI * x!), 5))
  })

  test('circles have their radii', () => {
    const data = circles({ noise: 0, factor: 0.25 })
    rows(data).forEach(([x, y], i) => expect(Math.hypot(x!, y!)).toBeCloseTo(data.labels[i] === 0 ? 1 : 0.25, 5))
  })

  test('xor is told by the signs', () => {
    const data = xor()
    rows(data).forEach(([x, y], i) => expect(data.labels[i]).toBe(x! * y! < 0 ? 1 : 0))
  })

  test('moons are half circles around two centres', () => {
    const data = moons({ noise: 0 })
    rows(data).forEach(([x, y], i) => {
      const isUpper = data.labels[i] === 0
      expect(Math.hypot(x! - (isUpper ? 0 : 1), y! - (isUpper ? 0 : 0.5))).toBeCloseTo(1, 5)
      expect(isUpper ? y! >= -1e-6 : y! <= 0.5 + 1e-6).toBe(true)
    })
  })

  test('the arms of a spiral differ by an equal angle', () => {
    const data = spiral({ noise: 0, arms: 3, turns: 1.5, examples: 300 })
    expect(data.classes).toEqual(['0', '1', '2'])
    rows(data).forEach(([x, y], i) => {
      const radius = Math.hypot(x!, y!)
      const angle = 2 * Math.PI * (1.5 * radius + data.labels[i]! / 3)
      expect(x).toBeCloseTo(radius * Math.cos(angle), 4)
      expect(y).toBeCloseTo(radius * Math.sin(angle), 4)
    })
  })

  test('options of one shape are checked too', () => {
    expect(() => spiral({ arms: 0 })).toThrow('spiral: "arms" must be a whole number of at least 1, got 0')
    expect(() => circles({ factor: 0 })).toThrow('circles: "factor" must be a number above 0, got 0')
  })
})
