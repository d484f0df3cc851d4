/** [file name, Markdown] of every page. */
export function declarationPages(root: string): [name: string, text: string][];
