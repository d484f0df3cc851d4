// Every lesson runs from top to bottom on the real engine, as a reader would run
// it. What a lesson must reach stands in its own last cell; here are only the
// promises that the project makes about single lessons.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(root, 'lessons')
const spoilt = mkdtempSync(join(tmpdir(), 'gradbook-lessons-'))
afterAll(() => rmSync(spoilt, { recursive: true }))

interface Summary {
  readonly cells: number
  readonly errors: number
  readonly metrics: Readonly<Record<string, number>>
  readonly seconds: number
}

/** Runs a notebook without a page. */
const runNotebook = (path: string): { status: number | null; summary: Summary; stderr: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'tools/notebook.mjs'), path, '--json'], { cwd: root, encoding: 'utf8' })
  const line = stdout.trim().split('\n').at(-1) ?? ''
  if (!line.startsWith('{')) throw new Error(`${basename(path)} gave no summary. It printed:\n${stdout}\n${stderr}`)
  return { status, summary: JSON.parse(line) as Summary, stderr }
}

/** Runs a lesson with one text replaced, as a learner might. */
const runChanged = (name: string, from: string, to: string) => {
  const text = readFileSync(join(folder, name), 'utf8')
  expect(text).toContain(from)
  const path = join(spoilt, name)
  writeFileSync(path, text.replace(from, to))
  return runNotebook(path)
}

const lessons = readdirSync(folder).filter((name) => name.endsWith('.md'))
const promises: Readonly<Record<string, (metrics: Summary['metrics']) => void>> = {
  'mnist-live.md': ({ accuracy }) => expect(accuracy).toBeGreaterThanOrEqual(0.97),
  'linear-regression.md': ({ slope, intercept, loss }) => {
    expect(Math.abs(slope! - 2)).toBeLessThan(0.15)
    expect(Math.abs(intercept! + 1)).toBeLessThan(0.15)
    expect(loss).toBeGreaterThan(0.15)
    expect(loss).toBeLessThan(0.35)
  },
}

describe('lessons', () => {
  test.each(lessons)('%s runs without an error and keeps its promise', (name) => {
    const { status, summary, stderr } = runNotebook(join(folder, name))
    expect({ status, errors: summary.errors, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, errors: 0, stderr: '' })
    expect(summary.cells).toBeGreaterThan(3)
    promises[name]?.(summary.metrics)
  }, 300_000)

  test('the check at the end of a lesson fails when nothing was learnt', () => {
    const { status, summary } = runChanged('linear-regression.md', 'learningRate = 0.05', 'learningRate = 0')
    expect({ status, errors: summary.errors }).toEqual({ status: 1, errors: 1 })
  }, 60_000)
})
