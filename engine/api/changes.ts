// Changes that a captured step cannot see, because its function is not run each time: training mode, who requires a gradient.
// Whoever makes one counts it here, and captured steps then look again. And tensors that are overwritten in place, for whoever
// has to put them back.

import type { Tensor } from './tensor.ts';

let count = 0;

/** Something that steps may depend on was changed from JavaScript. */
export function noteChange(): void {
  count++;
}

export function changeCount(): number {
  return count;
}

let watcher: ((tensor: Tensor) => void) | null = null;

/** Who looks at a tensor before its values are overwritten in place; null: nobody. */
export function watchOverwriting(look: ((tensor: Tensor) => void) | null): void {
  watcher = look;
}

/** The values of a tensor are about to be overwritten. */
export function aboutToOverwrite(tensor: Tensor): void {
  watcher?.(tensor);
}
