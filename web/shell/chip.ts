// What the kernel chip says, short and in full.
import type { ClientState } from '../../notebook/client/client.ts';
import { h } from '../dom.ts';
import { missingFeature, singleThreadReason } from '../host/features.ts';
import { kernelState } from '../host/kernel.ts';
import { formatBytes, formatCount } from './words.ts';

export interface ChipWords {
  readonly short: string;
  /** Left out on narrow screens. */
  readonly long: string;
  /** The same, said before the rest. */
  readonly memory: string;
  readonly state: string;
}

const simdOf = (flavour: string) => (flavour.startsWith('relaxed') ? 'relaxed SIMD' : 'SIMD');
const threadsOf = (count: number) => `${count} ${count === 1 ? 'thread' : 'threads'}`;

export function chipWords(state: ClientState | null): ChipWords {
  if (missingFeature()) return { short: 'No kernel', long: ': this browser lacks SIMD', memory: '', state: 'dead' };
  if (!state || state.phase === 'off') return { short: 'Kernel off', long: '', memory: '', state: 'off' };
  if (state.phase === 'dead') return { short: 'Kernel ended', long: '', memory: '', state: 'dead' };
  if (state.phase === 'starting') return { short: 'Starting', long: ' the kernel', memory: '', state: 'starting' };
  const status = state.status;
  if (!status) return { short: 'Ready', long: '', memory: '', state: state.phase };
  const memory = status.memory ? `, ${formatBytes(status.memory.heapBytes)}` : '';
  return { short: threadsOf(status.threads), long: `, ${simdOf(status.flavour)}`, memory, state: state.phase };
}

/** The card under the chip. */
export function chipNote(): HTMLElement {
  const state = kernelState.value;
  const status = state?.status;
  const memory = status?.memory;
  const row = (name: string, value: string) => [h('dt', null, name), h('dd', null, value)];
  const reason = status && status.threads > 1 ? '' : state?.threadsNote || singleThreadReason() || '';
  return h('div', { class: 'chip-note', role: 'region', 'aria-label': 'Kernel' },
    h('dl', null,
      row('Kernel', missingFeature() ? 'cannot run here' : phaseWords(state)),
      status ? row('Engine', `${simdOf(status.flavour)}, ${threadsOf(status.threads)}`) : [],
      memory ? [...row('Memory', `${formatBytes(memory.heapBytes)} held`), ...row('Tensors', `${formatCount(memory.tensorCount)} tensors, ${formatBytes(memory.liveBytes)}, most ${formatBytes(memory.peakBytes)}`)] : []),
    reason ? h('p', null, reason) : null,
    missingFeature() ? h('p', null, missingFeature()) : null);
}

function phaseWords(state: ClientState | null): string {
  switch (state?.phase) {
    case 'ready': return 'ready';
    case 'busy': return 'running a cell';
    case 'stopping': return 'stopping';
    case 'starting': return 'starting';
    case 'dead': return 'ended';
    default: return 'off';
  }
}
