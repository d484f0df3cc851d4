// The notebooks that come with the page, and the addresses they have: `#lesson=mnist-live`, `#scratch`; `#own=key` is one of the person's own.
import { isLink } from '../notebook/document/link.ts';
import { parseMarkdown } from '../notebook/document/markdown.ts';
import { toNotebook, type Notebook } from '../notebook/document/notebook.ts';

const TEXTS = import.meta.glob<string>('../lessons/*.md', { query: '?raw', import: 'default', eager: true });

/** The order in which newcomers should meet them; others follow by name. */
const ORDER = ['mnist-live', 'linear-regression'];

export interface Lesson {
  /** Name in the address; also the key it is kept under. */
  readonly key: string;
  readonly title: string;
  readonly address: string;
  /** A fresh copy. */
  original(): Notebook;
}

const rank = (key: string) => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);

export const lessons: readonly Lesson[] = Object.entries(TEXTS)
  .map(([path, text]) => {
    const name = path.slice(path.lastIndexOf('/') + 1, -'.md'.length);
    const original = parseMarkdown(text);
    return { key: name, title: original.title, address: `#lesson=${name}`, original: () => original };
  })
  .sort((a, b) => rank(a.key) - rank(b.key) || a.key.localeCompare(b.key));

/** A notebook of one's own. */
export const scratch: Lesson = {
  key: 'scratch',
  title: 'Scratch pad',
  address: '#scratch',
  original: () => toNotebook({ title: 'Scratch pad', cells: [{ kind: 'code', source: '' }] }),
};

const OWN = 'own-';

/** The key of a notebook of one's own, from the name in its address. */
export const ownKey = (name: string) => `${OWN}${name}`;
export const ownPrefix = OWN;
export const ownAddress = (key: string) => `#own=${key.slice(OWN.length)}`;

/** A notebook of one's own; `original` is what it was when it came. */
export function ownLesson(key: string, original: () => Notebook): Lesson {
  return { key, title: original().title, address: ownAddress(key), original };
}

/** The key that an address of one's own notebook names, or null. */
export function ownKeyAt(hash: string): string | null {
  const name = /^#own=([\w-]+)$/.exec(hash)?.[1];
  return name ? ownKey(name) : null;
}

/** Whether an address is that of a notebook. */
export function namesNotebook(hash: string): boolean {
  return hash === scratch.address || isLink(hash) || ownKeyAt(hash) !== null || lessons.some(({ address }) => address === hash);
}

/** What an address asks for; the first lesson when it asks for nothing that exists. */
export function lessonAt(hash: string): Lesson {
  if (hash === scratch.address) return scratch;
  const name = /^#lesson=([\w-]+)$/.exec(hash)?.[1];
  return lessons.find(({ key }) => key === name) ?? lessons[0] ?? scratch;
}
