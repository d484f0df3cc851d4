// `npm run notebook -- convert IN OUT`: one notebook file becomes another, by what the names end with.
import { readFileSync, writeFileSync } from 'node:fs';
import { formatOf } from '../document/formats.ts';

/** A command line or a file that is wrong: its message is for people. */
export class UsageError extends Error {}

/** Converts. Outputs travel as far as the new format holds them. Throws UsageError; then nothing was written. */
export async function convert(from: string, to: string): Promise<void> {
  const source = known(from);
  const target = known(to);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(from));
  } catch (error) {
    throw new UsageError(`${from}: ${readTrouble(error)}`);
  }
  const notebook = await Promise.resolve()
    .then(() => source.parse(text))
    .catch((error: Error) => {
      throw new UsageError(`${from}: ${error.message}`);
    });
  const written = await target.print(notebook, new Map());
  try {
    writeFileSync(to, written);
  } catch (error) {
    throw new UsageError(`${to}: cannot be written (${(error as NodeJS.ErrnoException).code ?? error})`);
  }
}

function known(file: string) {
  try {
    return formatOf(file);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Why a file could not be read, for people. */
export function readTrouble(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'no such file';
  if (code === 'EISDIR') return 'is a folder';
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'is no UTF-8 text' : message;
}
