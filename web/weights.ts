// The last known weights of the notebook's models, kept outside of the kernel: what is left of a training when its kernel
// had to be dropped. They are put back into the models of the same names once their cells have run again.
import type { Checkpoint } from '../notebook/protocol/messages.ts';
import { formatCount } from './shell/words.ts';

interface Kept extends Checkpoint {
  readonly keptAt: number;
}

const kept = new Map<string, Kept>();

export function keepWeights(checkpoint: Checkpoint): void {
  const { name, bytes, step } = checkpoint;
  kept.set(name, { name, bytes, step, keptAt: Date.now() });
}

export function forgetWeights(): void {
  kept.clear();
}

/** What a dropped kernel leaves, and a sentence about it; null when it leaves nothing. */
export function leftWeights(): { readonly checkpoints: readonly Checkpoint[]; readonly words: string } | null {
  if (kept.size === 0) return null;
  const all = [...kept.values()];
  const parts = all.map(({ name, step, keptAt }) => {
    const seconds = Math.max(1, Math.round((Date.now() - keptAt) / 1000));
    return `${name}${step === null ? '' : ` (step ${formatCount(step)}, ${seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`} ago)`}`;
  });
  // Copies: the page keeps its own in case this kernel has to go as well.
  const checkpoints = all.map(({ name, bytes, step }) => ({ name, bytes: bytes.slice(0), step }));
  return { checkpoints, words: `The weights of ${parts.join(' and ')} are kept. They are put back when the cell that declares the model has run again.` };
}
