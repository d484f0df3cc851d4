// What an editor and the cell it sits in know of each other.

/** Where the cursor goes: as it was, an end, a place (from 1), an offset, or under the pointer. */
export type Caret =
  | 'keep'
  | 'start'
  | 'end'
  | { readonly line: number; readonly column: number }
  | { readonly offset: number }
  | { readonly clientX: number; readonly clientY: number };

export interface EditorSeat {
  readonly cellId: string;
  /** The cell hides its static text and shows the editor. */
  attach(box: HTMLElement): void;
  /** The editor has gone; the static text is shown again. */
  detach(): void;
  entered(): void;
  left(): void;
  /** Runs the cell. */
  run(): void;
}
