export function htmlPage(markdown: string, name: string, pages: [file: string, title: string][]): string;
