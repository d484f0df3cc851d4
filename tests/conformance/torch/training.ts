// Replays PyTorch's training runs: the same first weights, batches and settings must give the same losses for 200 steps.

import { readFileSync } from 'node:fs';
import { engine } from '../../../engine/api/engine.ts';
import { nn, ops, optim, type Tensor } from '../../../engine/api/index.ts';
import { readSafetensors, type Stored } from '../safetensors.ts';
import { toTensor } from './arguments.ts';

export interface Run {
  readonly model: string;
  /** Class in torch.optim. */
  readonly optimizer: string;
  readonly settings: Readonly<Record<string, number | boolean | readonly number[]>>;
  readonly losses: string;
}

type Weights = ReadonlyMap<string, Tensor>;
type Forward = (x: Tensor) => Tensor;

const folder = new URL('../../fixtures/', import.meta.url);

export function readRuns(): { readonly runs: readonly Run[]; readonly stored: ReadonlyMap<string, Stored> } {
  const { cases } = JSON.parse(readFileSync(new URL('trajectories.json', folder), 'utf8')) as { cases: Run[] };
  return { runs: cases, stored: readSafetensors(new URL('trajectories.safetensors', folder).pathname) };
}

/** A model of nn whose state dict has PyTorch's names. */
function layers(model: ReturnType<typeof nn.sequential>, weights: Weights): Forward {
  model.loadStateDict(Object.fromEntries(weights));
  return model as unknown as Forward;
}

/** (batch, time, 4) -> LSTM -> last state -> (batch, 3); gates in PyTorch's order input, forget, cell, output. */
function lstm(weights: Weights): Forward {
  const w = (name: string): Tensor => weights.get(name) as Tensor;
  const size = 8;
  return (x) => {
    let h = ops.mul(ops.narrow(x.select(1, 0), 1, 0, 1), 0).expand([x.size(0), size]);
    let c = h;
    for (let t = 0; t < x.size(1); t++) {
      const gates = ops.add(
        ops.add(ops.matmul(x.select(1, t), ops.transpose(w('lstm.weight_ih_l0'))), w('lstm.bias_ih_l0')),
        ops.add(ops.matmul(h, ops.transpose(w('lstm.weight_hh_l0'))), w('lstm.bias_hh_l0')),
      );
      const gate = (i: number): Tensor => ops.narrow(gates, 1, i * size, size);
      c = ops.add(ops.mul(ops.sigmoid(gate(1)), c), ops.mul(ops.sigmoid(gate(0)), ops.tanh(gate(2))));
      h = ops.mul(ops.sigmoid(gate(3)), ops.tanh(c));
    }
    return ops.add(ops.matmul(h, ops.transpose(w('head.weight'))), w('head.bias'));
  };
}

/** Token and place embeddings, one encoder layer with two heads (norm after the residual), a head over the vocabulary. */
function transformer(weights: Weights): Forward {
  const w = (name: string): Tensor => weights.get(name) as Tensor;
  const project = (x: Tensor, name: string): Tensor => ops.add(ops.matmul(x, ops.transpose(w(`${name}weight`))), w(`${name}bias`));
  const norm = (x: Tensor, name: string): Tensor => {
    const centred = ops.sub(x, ops.mean(x, [-1], true));
    const scale = ops.rsqrt(ops.add(ops.mean(ops.square(centred), [-1], true), 1e-5));
    return ops.add(ops.mul(ops.mul(centred, scale), w(`${name}.weight`)), w(`${name}.bias`));
  };
  const [heads, width] = [2, 16];
  return (ids) => {
    const [batch, length] = ids.shape as [number, number];
    const x = ops.add(ops.embedding(ids, w('tokens.weight')), w('positions.weight'));
    const all = project(x, 'encoder.self_attn.in_proj_');
    const [q, k, v] = [0, 1, 2].map((i) =>
      ops.transpose(ops.reshape(ops.narrow(all, 2, i * width, width), [batch, length, heads, width / heads]), 1, 2),
    ) as [Tensor, Tensor, Tensor];
    const scores = ops.softmax(ops.div(ops.matmul(q, ops.transpose(k)), Math.sqrt(width / heads)), -1);
    const mixed = ops.reshape(ops.transpose(ops.matmul(scores, v), 1, 2), [batch, length, width]);
    const attended = norm(ops.add(x, project(mixed, 'encoder.self_attn.out_proj.')), 'encoder.norm1');
    const wide = ops.gelu(project(attended, 'encoder.linear1.'));
    const encoded = norm(ops.add(attended, project(wide, 'encoder.linear2.')), 'encoder.norm2');
    return ops.reshape(project(encoded, 'head.'), [batch * length, -1]);
  };
}

const models: Readonly<Record<string, (weights: Weights) => Forward>> = {
  mlp: (weights) => layers(nn.sequential(nn.linear(6, 16), nn.tanh(), nn.linear(16, 8), nn.tanh(), nn.linear(8, 3)), weights),
  lenet: (weights) => {
    const model = nn.sequential(
      nn.conv2d(1, 4, 3, { padding: 1 }),
      nn.relu(),
      nn.maxPool2d(2),
      nn.conv2d(4, 8, 3),
      nn.relu(),
      nn.maxPool2d(2),
      nn.flatten(),
      nn.linear(32, 10),
    );
    return layers(model, weights);
  },
  lstm,
  transformer,
};

const camelCase = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** True when the engine has this optimizer of PyTorch's. */
export function hasOptimizer(run: Run): boolean {
  return engine().description.optimizers.some((row) => row.name === run.optimizer.toLowerCase());
}

/** The losses of all steps, and the largest relative distance from PyTorch's. */
export function replayRun(
  run: Run,
  stored: ReadonlyMap<string, Stored>,
): { readonly losses: readonly number[]; readonly distance: number; readonly step: number } {
  const prefix = `${run.model}.weights.`;
  const weights = new Map<string, Tensor>();
  for (const [name, value] of stored)
    if (name.startsWith(prefix)) weights.set(name.slice(prefix.length), toTensor(value, 'float32').requiresGrad_().keep());
  const model = (models[run.model] as (weights: Weights) => Forward)(weights);
  const trained = model instanceof nn.Module ? model.parameters() : [...weights.values()];
  const settings = Object.fromEntries(Object.entries(run.settings).map(([name, value]) => [camelCase(name), value]));
  const optimizer = (optim as unknown as Record<string, typeof optim.sgd>)[run.optimizer.toLowerCase()]?.(trained, settings);
  if (!optimizer) throw new Error(`there is no optimizer ${run.optimizer}`);
  const inputs = toTensor(stored.get(`${run.model}.inputs`) as Stored, 'float32');
  const targets = toTensor(stored.get(`${run.model}.targets`) as Stored, 'float32');
  const expected = (stored.get(run.losses) as Stored).values;
  const losses: number[] = [];
  let [distance, worst] = [0, 0];
  for (let step = 0; step < expected.length; step++) {
    const batch = step % inputs.size(0);
    const value = nn.crossEntropy(model(inputs.select(0, batch)), targets.select(0, batch).reshape([-1]));
    optimizer.zeroGrad();
    value.backward();
    optimizer.step();
    losses.push(value.item());
    const wanted = expected[step] as number;
    const off = Math.abs(value.item() - wanted) / Math.abs(wanted);
    if (!(off <= distance)) [distance, worst] = [off, step];
  }
  return { losses, distance, step: worst };
}
