// Reads data files from disk, for notebooks that run in Node and for tests.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DatasetHost } from './load.ts'

/** The folder into which the build writes data files. */
export const dataFolder: string = fileURLToPath(new URL('../build/data/', import.meta.url))

/** A host that reads the files of `folder`, by default those of the build. */
export function nodeHost(folder: string = dataFolder): DatasetHost {
  return {
    async read(file, onProgress, signal) {
      const path = join(folder, file.path)
      const bytes = await readFile(path, { signal }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        throw new Error(`${path} does not exist; \`node datasets/build.mjs\` makes it`, { cause: error })
      })
      onProgress(bytes.length, bytes.length)
      return bytes
    },
  }
}
