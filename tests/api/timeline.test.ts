// Going back in time: the state at a step is that of a fresh run to this step, and going on from there repeats the training to the bit.
import './start.ts';
import { describe, expect, test, vi } from 'vitest';
import { data, log, manualSeed, nn, optim } from '../../engine/api/index.ts';
import { beginRun } from '../../engine/api/host.ts';
import { Timeline } from '../../engine/api/timeline.ts';

const set = () => data.moons({ examples: 90, seed: 2 });

function fresh() {
  manualSeed(5);
  const model = nn.sequential(nn.linear(2, 8), nn.tanh(), nn.dropout(0.2), nn.linear(8, 2));
  return { model, optimizer: optim.adam(model, { lr: 0.02 }) };
}

type Made = ReturnType<typeof fresh>;

/** Trains `steps` steps from step `start` on; dropout draws random numbers in each. Returns the losses. */
async function train({ model, optimizer }: Made, steps: number, start: number, past?: Timeline): Promise<number[]> {
  beginRun('time');
  const losses: number[] = [];
  for await (const [x, y] of set().batches(20, { epochs: 20, shuffle: true, seed: 3, start })) {
    const loss = nn.crossEntropy(model(x), y);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    losses.push(loss.item());
    log({ loss }, { step: start + losses.length });
    past?.logged();
    if (losses.length === steps) break;
  }
  return losses;
}

const weightsOf = ({ model }: Made) => model.parameters().map((weight) => [...weight.values()]);

describe('a timeline', () => {
  test('brings a step back as a fresh run to that step has it, and goes on to the bit', async () => {
    const made = fresh();
    const past = new Timeline(made.model, made.optimizer, { every: 1 });
    const losses = await train(made, 30, 0, past);
    const end = weightsOf(made);
    expect(past.steps).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
    expect(past.rewind(12)).toBe(12);
    const short = fresh();
    await train(short, 12, 0);
    expect(weightsOf(made)).toEqual(weightsOf(short));
    // The short run drew other random numbers since; the timeline brings back those of step 12, too.
    past.rewind(12);
    expect(await train(made, 18, 12)).toEqual(losses.slice(12));
    expect(weightsOf(made)).toEqual(end);
  });

  test('stays within its budget, evenly thinned, with the latest step', async () => {
    const made = fresh();
    const one = new Timeline(made.model, made.optimizer, { every: 1 });
    await train(made, 1, 0, one);
    const budget = one.byteCount * 6;
    const past = new Timeline(made.model, made.optimizer, { every: 1, budget });
    await train(made, 40, 0, past);
    expect(past.byteCount).toBeLessThanOrEqual(budget);
    expect(past.steps.at(-1)).toBe(40);
    expect(past.steps[0]).toBe(1);
    expect(past.steps.length).toBeGreaterThanOrEqual(3);
  });

  test('a checkpoint that something held up for seconds is followed by the next within a minute', () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    try {
      const { model, optimizer } = fresh();
      const past = new Timeline(model, optimizer);
      const take = past.take.bind(past);
      let takes = 0;
      past.take = (step) => { takes++; now += 2500; take(step); };
      beginRun('time');
      for (let step = 1; now < 400_000; step++, now += 1000) {
        log({ loss: 1 / step }, { step });
        past.logged();
      }
      expect(takes).toBeGreaterThanOrEqual(5);
    } finally {
      clock.mockRestore();
    }
  });

  test('drops what lay after a step that training goes on from', async () => {
    const made = fresh();
    const past = new Timeline(made.model, made.optimizer, { every: 5 });
    await train(made, 20, 0, past);
    expect(past.steps).toEqual([5, 10, 15, 20]);
    expect(past.rewind(11)).toBe(10);
    await train(made, 5, 10, past);
    expect(past.steps).toEqual([5, 10, 15]);
    expect(() => new Timeline(made.model).go(0)).toThrow('nothing is kept yet');
  });

  test('is left alone while another model trains', async () => {
    const made = fresh();
    const past = new Timeline(made.model, made.optimizer, { every: 1 });
    await train(made, 8, 0, past);
    past.rewind(5);
    await train(fresh(), 12, 0, past);
    expect([past.steps, past.at]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], 4]);
  });

  test('batches that start later are those that a whole loop has from there on', () => {
    const rows = (start: number) => [...set().batches(20, { epochs: 3, shuffle: true, seed: 1, start })].map(([x]) => [...x.values()]);
    expect(rows(7)).toEqual(rows(0).slice(7));
    expect(set().batches(20, { epochs: 3, start: 7 }).length).toBe(8);
    expect(() => set().batches(20, { start: -1 })).toThrow('start');
  });
});
