// Every sample of PyTorch's that is in the fixtures: results and gradients, in float32 and in float64.
import { startNodeEngine } from '../../../engine/api/node.ts';
import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { engine } from '../../../engine/api/engine.ts';
import { readSamples, replay, type Sample } from './replay.ts';
import { withoutCounterpart } from './uncovered.ts';

await startNodeEngine();
const { samples, stored } = readSamples();
const byOperator = Map.groupBy(samples, (sample) => sample.op);

describe.each(['float32', 'float64'] as const)('%s', (floating) => {
  test.each([...byOperator])('%s gives the numbers and gradients that PyTorch gives', (_name, given: Sample[]) => {
    const problems = given
      .map((sample, i) => [i, replay(sample, stored, floating)] as const)
      .filter(([, outcome]) => outcome.state === 'failed');
    expect(problems).toEqual([]);
  });
});

test('every op is replayed against PyTorch, or has a reason why not', () => {
  const folder = new URL('table/', import.meta.url);
  const source = readdirSync(folder)
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n');
  // Rows call ops by name, or make a row for the op that they are given as a text.
  const calls = /\bops\.(\w+)|\b(?:convolution|transposed|maxPool|averagePool|adaptive)\(\d, '(\w+)'\)|\bspread\('(\w+)'\)/g;
  const used = new Set(Array.from(source.matchAll(calls), (match) => match[1] ?? match[2] ?? match[3]));
  const names = engine()
    .description.ops.filter((row) => !row.internal)
    .map((row) => row.name);
  expect(names.filter((name) => !used.has(name) && !withoutCounterpart[name])).toEqual([]);
  expect(Object.keys(withoutCounterpart).filter((name) => used.has(name) || !names.includes(name))).toEqual([]);
});
