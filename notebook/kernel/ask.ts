// Looking at values of cells: a proxy among them may refuse any question, even what it is an instance of.

/** The answer to a question about a value, or `otherwise` when the value refuses it. */
export function ask<T>(question: () => T, otherwise: T): T {
  try {
    return question();
  } catch {
    return otherwise;
  }
}
