// Changes that a captured step cannot see, because its function is not run each time: training mode, who requires a gradient.
// Whoever makes one counts it here, and captured steps then look again.

let count = 0;

/** Something that steps may depend on was changed from JavaScript. */
export function noteChange(): void {
  count++;
}

export function changeCount(): number {
  return count;
}
