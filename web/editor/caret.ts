// The line of a code cell that the cursor is in, for views that show what belongs to it.
import { signal } from '@preact/signals-core';

/** Line from 1; null while the cursor is in no code cell. Stays where it was when the focus leaves. */
export const caretLine = signal<{ readonly cellId: string; readonly line: number } | null>(null);
