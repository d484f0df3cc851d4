// What names hold, in short, so that the page can say what changed and why a result is stale. A model is known by its
// weights: training changes it although nobody declares it again.
import type { ValueFact } from '../protocol/messages.ts';
import { ask } from './ask.ts';
import { controlState } from './controls.ts';
import type { EngineLink, Tensor } from './engine.ts';
import { preview } from './preview.ts';

const TEXT_LIMIT = 60;
/** Weights beyond these are looked at in part: a fingerprint must cost little. */
const MOST_VALUES = 4 << 20;

interface Known {
  readonly value: unknown;
  readonly fingerprint: number;
  readonly fact: ValueFact;
}

export class Values {
  readonly #engine: EngineLink | null;
  readonly #known = new Map<string, Known>();
  #version = 0;

  constructor(engine: EngineLink | null) {
    this.#engine = engine;
  }

  /** Facts about the names that `declared` lists, and about others whose value is not what it was. */
  look(names: Iterable<readonly [name: string, value: unknown]>, declared: ReadonlySet<string>): ValueFact[] {
    const facts: ValueFact[] = [];
    const seen = new Set<string>();
    for (const [name, value] of names) {
      seen.add(name);
      const before = this.#known.get(name);
      const now = this.#describe(name, value, before);
      this.#known.set(name, now);
      if (now !== before || declared.has(name)) facts.push(now.fact);
    }
    for (const name of this.#known.keys()) if (!seen.has(name)) this.#known.delete(name);
    return facts;
  }

  #describe(name: string, value: unknown, before: Known | undefined): Known {
    const isModel = isModelOf(this.#engine, value);
    const fingerprint = isModel ? this.#fingerprint(value) : 0;
    const control = ask(() => controlState(value), null);
    const text = plainText(control ? control.value : value);
    const isSame = before !== undefined && Object.is(before.value, value) && before.fingerprint === fingerprint && before.fact.text === text;
    if (isSame) return before;
    this.#version += 1;
    return { value, fingerprint, fact: { name, text, version: this.#version, kind: isModel ? 'model' : text === '' ? ask(() => kindOf(value), 'other') : 'plain', controlId: control?.controlId ?? null } };
  }

  #fingerprint(model: unknown): number {
    const engine = this.#engine as EngineLink;
    let hash = 0x811c9dc5;
    let left = MOST_VALUES;
    for (const tensor of parametersOf(engine, model)) {
      if (left <= 0) break;
      const values = engine.readValues(tensor);
      const words = new Int32Array(values.buffer, values.byteOffset, Math.floor(values.byteLength / 4));
      const length = Math.min(words.length, left);
      for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (words[i] as number), 0x01000193);
      left -= length;
    }
    return hash;
  }
}

/** What views look at besides models, told by what it can do. */
function kindOf(value: unknown): ValueFact['kind'] {
  if (typeof value !== 'object' || value === null) return 'other';
  const can = (...names: readonly string[]) => names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
  return can('batches', 'pick', 'at') ? 'dataset' : can('step', 'zeroGrad', 'stepQuietly') ? 'optimizer' : 'other';
}

/** Whether a value is a model with weights. */
export function isModelOf(engine: EngineLink | null, value: unknown): boolean {
  const nn = engine?.globals.nn as { readonly Module?: new () => unknown } | undefined;
  return nn?.Module !== undefined && ask(() => value instanceof (nn.Module as new () => unknown), false);
}

function parametersOf(engine: EngineLink, model: unknown): Tensor[] {
  const { parameters } = engine.globals.nn as { parameters(model: unknown): Tensor[] };
  try {
    return parameters(model);
  } catch {
    // A model that its cell left half built.
    return [];
  }
}

/** The whole value when it is plain and short. */
function plainText(value: unknown): string {
  const { type, text } = preview(value);
  const isPlain = ['undefined', 'null', 'boolean', 'number', 'bigint', 'string'].includes(type);
  return isPlain && text.length <= TEXT_LIMIT ? text : '';
}
