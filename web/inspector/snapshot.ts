// Reads the engine's snapshots: the bytes that engine/inspect/snapshot.h describes, tables of numbers and the texts that they
// name. Bytes come from a kernel that runs the learner's code, so every count and place is checked before it is used.

const MAGIC = 0x4e534247;
const VERSION = 1;

/** One table: rows of numbers under named columns. */
export class Table {
  readonly columns: readonly string[];
  readonly rows: number;
  readonly #values: DataView;
  readonly #texts: readonly string[];

  constructor(columns: readonly string[], rows: number, values: DataView, texts: readonly string[]) {
    this.columns = columns;
    this.rows = rows;
    this.#values = values;
    this.#texts = texts;
  }

  /** The number in a row; NaN for a row or column that is not there. */
  number(row: number, column: string): number {
    const at = this.columns.indexOf(column);
    if (at < 0 || !(row >= 0 && row < this.rows)) return Number.NaN;
    return this.#values.getFloat64((row * this.columns.length + at) * 8, true);
  }

  /** The text that the number in a row stands for, or ''. */
  text(row: number, column: string): string {
    return this.#texts[this.number(row, column)] ?? '';
  }
}

export interface Snapshot {
  /** The table of this name; one without rows when there is none. */
  table(name: string): Table;
  readonly bytes: Uint8Array;
}

const NONE = new Table([], 0, new DataView(new ArrayBuffer(0)), []);

/** The snapshot in these bytes, or null when they are none of this version. */
export function readSnapshot(bytes: Uint8Array): Snapshot | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const word = (): number => {
    if (at + 4 > view.byteLength) throw new RangeError('cut off');
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const sound = (isSound: boolean): void => {
    if (!isSound) throw new RangeError('damaged');
  };
  try {
    sound(word() === MAGIC && word() === VERSION && word() === view.byteLength);
    const textCount = word();
    const textBytes = word();
    const tableCount = word();
    sound(textCount <= (view.byteLength - at) / 4);
    const ends = Array.from({ length: textCount }, word);
    const textStart = at;
    sound(textBytes <= view.byteLength - at);
    const decoder = new TextDecoder();
    const texts = ends.map((end, i) => {
      const from = ends[i - 1] ?? 0;
      sound(end >= from && end <= textBytes);
      return decoder.decode(bytes.subarray(textStart + from, textStart + end));
    });
    at = Math.ceil((textStart + textBytes) / 4) * 4;
    const tables = new Map<string, Table>();
    for (let i = 0; i < tableCount; i++) {
      const name = word();
      const columnCount = word();
      const rows = word();
      const place = word();
      sound(columnCount <= (view.byteLength - at) / 4);
      const columns = Array.from({ length: columnCount }, word);
      sound(name < textCount && columns.every((column) => column < textCount));
      sound(place <= view.byteLength && (columnCount > 0 || rows === 0) && rows * columnCount <= (view.byteLength - place) / 8);
      const values = new DataView(view.buffer, view.byteOffset + place, rows * columnCount * 8);
      tables.set(texts[name]!, new Table(columns.map((column) => texts[column]!), rows, values, texts));
    }
    return { bytes, table: (name) => tables.get(name) ?? NONE };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** "[64, 10]": the shape of a row whose columns `shape` and `rank` say where it stands in `numbers`. */
export function shapeOf(snapshot: Snapshot, table: Table, row: number): string {
  const from = table.number(row, 'shape');
  const rank = Math.min(8, table.number(row, 'rank') || 0);
  return `[${Array.from({ length: rank }, (_, i) => snapshot.table('numbers').number(from + i, 'value')).join(', ')}]`;
}

/** Row numbers of a table. */
export const rowsOf = (table: Table): number[] => Array.from({ length: table.rows }, (_, i) => i);
