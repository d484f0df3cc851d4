// The file formats in one table: what a name ends with, how such a file is read and written.
import { parseIpynb, printIpynb, type Results } from './ipynb.ts';
import { parseMarkdown, printMarkdown } from './markdown.ts';
import type { Notebook } from './notebook.ts';
import { parsePercent, printPercent } from './percent.ts';

export interface Format {
  readonly extension: string;
  /** For menus and messages: `Jupyter notebook`. */
  readonly name: string;
  readonly mediaType: string;
  /** Whether outputs are written too. */
  readonly hasOutputs: boolean;
  /** Throws SyntaxError that says what is wrong and where. */
  parse(text: string): Promise<Notebook> | Notebook;
  print(notebook: Notebook, results: Results): Promise<string> | string;
}

// The page as HTML needs libraries for Markdown and formulas; they are loaded when it is asked for.
const html = () => import('./html.ts');

export const FORMATS: readonly Format[] = [
  { extension: '.ipynb', name: 'Jupyter notebook', mediaType: 'application/x-ipynb+json', hasOutputs: true, parse: parseIpynb, print: printIpynb },
  { extension: '.md', name: 'Markdown', mediaType: 'text/markdown', hasOutputs: false, parse: parseMarkdown, print: printMarkdown },
  { extension: '.ts', name: 'TypeScript', mediaType: 'text/x.typescript', hasOutputs: false, parse: parsePercent, print: printPercent },
  { extension: '.html', name: 'Web page', mediaType: 'text/html', hasOutputs: true, parse: async (text) => (await html()).parseHtml(text), print: async (notebook, results) => (await html()).printHtml(notebook, results) },
];

/** The format of a file by its name. Throws with the endings that are known. */
export function formatOf(fileName: string): Format {
  const format = FORMATS.find(({ extension }) => fileName.toLowerCase().endsWith(extension));
  if (format) return format;
  const known = FORMATS.map(({ extension }) => extension).join(', ');
  throw new Error(`${fileName}: no known kind of file; a notebook ends with ${known}`);
}
