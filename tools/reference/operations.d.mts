export function operationsPage(): Promise<string>;
export function wordsOfOperations(): Record<string, { summary: string; example: string; gives: string; formula?: string }>;
