// What errors of JavaScript itself say, in the words of all browsers.

/** The name that an error says nobody declared, in the words of all browsers; null for other errors. */
export function undeclaredName(name: string, message: string): string | null {
  if (name !== 'ReferenceError') return null;
  return /^(?:Can't find variable: )?([\p{ID_Start}$_][\p{ID_Continue}$]*)(?: is not defined)?$/u.exec(message)?.[1] ?? null;
}
