// Asks the kernel for snapshots while the inspector is open, at a pace that never costs training more than two hundredths: the
// longer a snapshot and the watched step take, the longer the pause after them. The last one stays when the kernel is gone.
import { signal } from '@preact/signals-core';
import { inspectKernel, isBusy } from '../session.ts';
import { isNews, pauseAfter, REMEMBERED } from './pace.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

export const snapshot = signal<Snapshot | null>(null);
/** When the last snapshot was taken, or null. */
export const takenAt = signal<Date | null>(null);
/** The kernel that the snapshot came from is gone. */
export const isPast = signal(false);

/** The tensor whose values are wanted, 0 for none, and the first element of them. */
export const wantedTensor = signal<{ readonly key: number; readonly from: number }>({ key: 0, from: 0 });
/** Watch steps of training. */
export const wantsTrace = signal(true);

let timer: ReturnType<typeof setTimeout> | undefined;
let isOpen = false;
let isAsking = false;
let asksAgain = false;
let clears = false;
/** What the last snapshots cost, in milliseconds. */
let costs: readonly number[] = [];

/** Begins to ask; returns how to end it. */
export function startWatching(): () => void {
  isOpen = true;
  costs = [];
  const seen = () => { if (!document.hidden) askNow(); };
  document.addEventListener('visibilitychange', seen);
  let wasBusy = false;
  const stops = [
    wantedTensor.subscribe(() => askNow()),
    // What a run left behind is what people look for, however long the pause was meant to be.
    isBusy.subscribe((busy) => {
      if (wasBusy && !busy) askNow();
      wasBusy = busy;
    }),
  ];
  return () => {
    isOpen = false;
    clearTimeout(timer);
    for (const stop of stops) stop();
    document.removeEventListener('visibilitychange', seen);
  };
}

/** Asks at once, as when something was selected. */
export function askNow(): void {
  if (!isOpen) return;
  if (isAsking) {
    asksAgain = true;
    return;
  }
  clearTimeout(timer);
  void ask();
}

/** The sums of the profile begin anew. */
export function restartProfile(): void {
  clears = true;
  askNow();
}

async function ask(): Promise<void> {
  if (document.hidden) return;
  isAsking = true;
  const { key, from } = wantedTensor.value;
  const answer = await inspectKernel({ trace: wantsTrace.value, clear: clears, selected: key, from });
  clears = false;
  isAsking = false;
  const read = answer && readSnapshot(answer.bytes);
  if (read) {
    if (!snapshot.value || isNews(snapshot.value.bytes, read.bytes)) snapshot.value = read;
    takenAt.value = new Date();
    costs = [...costs, answer.elapsedMs + watchedFor(read)].slice(-REMEMBERED);
  }
  isPast.value = !read && snapshot.value !== null;
  if (!isOpen) return;
  timer = setTimeout(() => void ask(), asksAgain ? 0 : pauseAfter(costs, isBusy.value));
  asksAgain = false;
}

/** How much longer than others the step took that was watched op by op. */
function watchedFor(read: Snapshot): number {
  const longer = read.table('trace').number(0, 'elapsedMs') - read.table('engine').number(0, 'stepMs');
  return wantsTrace.value && longer > 0 ? longer : 0;
}
