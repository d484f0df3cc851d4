// The one kind of error that datasets throw. Where it is shown is left to the kernel and the page.

/**
 * - `unknown`: no dataset or file of that name
 * - `request`: the caller asked for something that the dataset cannot give
 * - `missing`: the file could not be read from where this build keeps it
 * - `damaged`: bytes arrived, but they are not the file that was built
 */
export type DatasetProblem = 'unknown' | 'request' | 'missing' | 'damaged'

/** Says what happened, what was expected, what came and what to do. */
export class DatasetError extends Error {
  readonly code: DatasetProblem

  constructor(code: DatasetProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DatasetError'
    this.code = code
  }
}

/** The text of anything thrown. */
export const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
