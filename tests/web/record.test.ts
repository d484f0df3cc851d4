// What can be said of several runs, without a page: differing settings, seeds, bands, and the difference of two texts.
import { expect, test } from 'vitest';
import { Curves } from '../../web/charts/curves.ts';
import { bandOver, bySettings, differing, diffLines, finals, toJson, type Settings, type TrainingRun } from '../../web/runs/record.ts';
import { runsCsv } from '../../web/runs/csv.ts';
import { createRandom } from '../../datasets/random.ts';

function run(name: string, settings: Settings, losses: readonly number[], source = 'a'): TrainingRun {
  const curves = new Curves();
  curves.add({ names: ['loss'], steps: Float64Array.from(losses, (_, i) => i + 1), columns: [Float64Array.from(losses)] });
  return { id: name, notebook: '', cellId: 'c', number: 1, startedAt: 0, source, program: source, curves, settings, seed: 0, name, note: '', state: 'done', elapsedMs: 5, isShown: true };
}

test('settings that differ come first by how often they change', () => {
  const runs = [run('1', { lr: 0.1, width: 8, data: 'a' }, [1]), run('2', { lr: 0.01, width: 8, data: 'a' }, [1]), run('3', { lr: 0.001, width: 16, data: 'a' }, [1])];
  expect(differing(runs)).toEqual(['lr', 'width']);
});

test('runs that differ in their seed alone belong together', () => {
  const runs = [run('1', { lr: 1, seed: 0 }, [1]), run('2', { seed: 1, lr: 1 }, [1]), run('3', { lr: 2, seed: 0 }, [1]), run('4', { lr: 1, seed: 2 }, [1], 'other code')];
  expect(bySettings(runs).map((group) => group.map(({ name }) => name))).toEqual([['1', '2'], ['3'], ['4']]);
});

test('the mean and the band over seeds are those of the steps that all runs have', () => {
  const metrics = [[4, 2, 1], [2, 2, 4, 9]].map((losses) => run('', {}, losses).curves.metrics.get('loss')!);
  const { x, mean, low, high, count } = bandOver(metrics, false);
  expect([[...x], ...[mean, low, high].map((column) => [...column.values.slice(0, count)])]).toEqual([[1, 2, 3], [3, 2, 2.5], [2, 2, 1], [4, 2, 4]]);
});

test('the difference of two texts: what is kept and gone is the first, what is kept and new the second', () => {
  const random = createRandom(3);
  for (let trial = 0; trial < 100; trial++) {
    const text = () => Array.from({ length: Math.floor(random.uniform() * 12) }, () => 'abc'[Math.floor(random.uniform() * 3)]).join('\n');
    const [before, after] = [text(), text()];
    const lines = diffLines(before, after);
    const of = (...kinds: string[]) => lines.filter(({ kind }) => kinds.includes(kind)).map((line) => line.text).join('\n');
    expect([of('same', 'gone'), of('same', 'new')]).toEqual([before, after]);
  }
  expect(diffLines('lr = 1\nrun', 'lr = 2\nrun').map(({ kind, text }) => `${kind} ${text}`)).toEqual(['gone lr = 1', 'new lr = 2', 'same run']);
});

test('JSON holds settings, last values and every point', () => {
  const [found] = JSON.parse(toJson([run('first', { lr: 0.1 }, [3, 2])])) as [{ settings: Settings; final: object; curves: { loss: { values: number[] } } }];
  expect([found.settings, found.final, found.curves.loss.values]).toEqual([{ lr: 0.1 }, { loss: 2 }, [3, 2]]);
  expect(finals(run('', {}, [])).size).toBe(0);
});

test('CSV has a column of its own for each setting and each last value, also where they bear the same name', () => {
  const made = [run('a, b', { lr: 0.1, seed: 3 }, [3, 2]), run('c', { loss: 'mse', lr: 0.2 }, [5, 4])];
  const [head, ...lines] = runsCsv(made).trimEnd().split('\n');
  expect(head).toBe('name,started,seconds,state,seed,lr,loss,loss (last),note');
  expect(lines.map((line) => line.replace(/\d{4}-[^,]*Z/, 'when'))).toEqual(['"a, b",when,0.005,done,3,0.1,,2,', 'c,when,0.005,done,0,0.2,mse,4,']);
});
