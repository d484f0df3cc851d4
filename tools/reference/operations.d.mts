export function operationsPage(): Promise<string>;
