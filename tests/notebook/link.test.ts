// Links that hold a notebook: whole round trips, and one clear sentence for every way in which a link can be broken.
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeLink, encodeLink, isLink, LONG_LENGTH } from '../../notebook/document/link.ts';
import { type Notebook, toNotebook } from '../../notebook/document/notebook.ts';
import { randomNotebook, seeded } from './random.ts';

const small = toNotebook({ title: 'Small', metadata: { seed: 3 }, cells: [{ kind: 'markdown', source: '# Hi' }, 'const a = 1\na'] });
const link = await encodeLink(small);

/** A link around any bytes, with its length and checksum right. */
function forged(bytes: Uint8Array): string {
  const payload = Buffer.from(bytes).toString('base64url');
  let hash = 0x811c9dc5;
  for (const character of payload) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return `#n1.${payload.length.toString(36)}-${(hash >>> 0).toString(36).padStart(7, '0')}.${payload}`;
}
const forgedJson = (value: unknown) => forged(deflateRawSync(JSON.stringify(value)));

describe('links', () => {
  test('a notebook comes back the same, whatever it holds', async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const notebook = randomNotebook(seeded(seed));
      const text = await encodeLink(notebook);
      expect(text).toMatch(/^#n1\.[0-9a-z]+-[0-9a-z]{7}\.[\w-]*$/);
      expect(await decodeLink(text), `seed ${seed}`).toEqual(notebook);
    }
  });

  test('are short: 48 cells of a lesson fit', async () => {
    const cells = Array.from({ length: 48 }, (_, i): Notebook['cells'][number] => ({
      id: `cell-${i + 1}`,
      kind: i % 2 ? 'code' : 'markdown',
      source: i % 2 ? `const layer${i} = nn.linear(${i * 7}, ${i * 13});\nconst y${i} = layer${i}(x).relu();\ny${i}.shape` : `## Step ${i}\n\nThe layer number ${i} takes ${i * 7} numbers and gives ${i * 13}; look at its shape.`,
      attributes: {},
    }));
    expect((await encodeLink(toNotebook({ cells }))).length).toBeLessThan(LONG_LENGTH / 4);
  });

  for (const [sentence, change] of [
    ['without its #', (text: string) => text.slice(1)],
    ['encoded once more by a chat program', (text: string) => text.replace('.', '%2E').replace('-', '%2D')],
    ['with a full stop and a bracket behind it', (text: string) => `${text}).`],
    ['with a space around it', (text: string) => ` ${text}\n`.trimStart()],
  ] as const) {
    test(`a link ${sentence} opens`, async () => expect(await decodeLink(change(link))).toEqual(small));
  }

  for (const [sentence, text, message] of [
    ['that is none', '#lesson=mnist', 'This is no link to a notebook.'],
    ['of a later kind', '#n2.abc', 'This link is of kind 2, which this version of Gradbook cannot read. Reload the page to get the newest.'],
    ['that was cut off', link.slice(0, -9), `This link was cut off (it needs ${link.length - 1} characters and has ${link.length - 10}). Ask for it again, or for the file.`],
    ['that was cut off at its start', '#n1.2', 'This link was cut off. Ask for it again, or for the file.'],
    ['with a changed character', `${link.slice(0, -4)}${link.at(-4) === 'A' ? 'B' : 'A'}${link.slice(-3)}`, 'This link was damaged: its characters do not add up.'],
    ['that does not unpack', forged(Uint8Array.of(255, 255, 255)), 'This link was damaged: it does not unpack.'],
    ['that unfolds without end', forged(deflateRawSync(Buffer.alloc(64 << 20))), 'This link unfolds to more than 8 MB, which no notebook needs. It was not opened.'],
    ['that holds no text', forged(deflateRawSync(Uint8Array.of(255, 254))), 'This link does not hold a notebook: its text cannot be read.'],
    ['that holds another value', forgedJson([1]), 'This link does not hold a notebook: title, metadata or cells are missing.'],
    ['with a malformed cell', forgedJson({ t: '', m: {}, c: [['c', 1]] }), 'This link does not hold a notebook: cell 1 is malformed.'],
    ['with words that are no words', forgedJson({ t: '', m: {}, c: [['c', '', 'x', { a: 1 }]] }), 'This link does not hold a notebook: cell 1 is malformed.'],
    ['with too many cells', forgedJson({ t: '', m: {}, c: Array(6000).fill(['c', '']) }), 'This link does not hold a notebook: it has 6000 cells.'],
    ['with two cells of one name', forgedJson({ t: '', m: {}, c: [['c', '', 'a'], ['c', '', 'a']] }), "two cells are named 'a'"],
  ] as const) {
    test(`a link ${sentence} says so`, async () => {
      await expect(decodeLink(text)).rejects.toThrow(message);
    });
  }

  test('are told from other addresses', () => expect([isLink(link), isLink('n1.'), isLink('#n2.x'), isLink('#lesson=x'), isLink('')]).toEqual([true, true, true, false, false]));
});
