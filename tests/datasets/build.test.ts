// The build of the data files as a command: it does nothing twice, and it stops
// when what it made is not what is committed.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'gradbook-data-'))
afterAll(() => rmSync(copy, { recursive: true }))

// A copy of the code beside links to the same packages and files, so that the committed file can be spoilt.
cpSync(join(root, 'datasets'), join(copy, 'datasets'), { recursive: true })
writeFileSync(join(copy, 'package.json'), '{ "type": "module" }')
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
mkdirSync(join(copy, 'build'))
cpSync(join(root, 'build/data'), join(copy, 'build/data'), { recursive: true })

const build = (folder: string, ...options: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'datasets/build.mjs'), ...options], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe('datasets/build.mjs', () => {
  test('has nothing to do when everything is up to date', () => {
    const { status, stdout, stderr } = build(copy)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('data: MNIST: up to date')
  })

  test('stops when what it made is not what is committed, and says what to do', () => {
    const committed = join(copy, 'datasets/files.generated.json')
    const text = readFileSync(committed, 'utf8')
    const { sha256 } = JSON.parse(text)['mnist-train-1k']
    writeFileSync(committed, text.replace(sha256, 'f'.repeat(64)))
    const { status, stderr } = build(copy)
    expect(status).toBe(1)
    expect(stderr).toContain('data: mnist-train-1k is not what is committed in datasets/files.generated.json:')
    expect(stderr).toContain(`made      785032 bytes, SHA-256 ${sha256}`)
    expect(stderr).toContain('run `node datasets/build.mjs --update` and commit that file')

    expect(build(copy, '--update').status).toBe(0)
    expect(readFileSync(committed, 'utf8')).toBe(text)
  })

  test('says what is missing when the data package is not installed', () => {
    unlinkSync(join(copy, 'node_modules'))
    const { status, stderr } = build(copy)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^data: .*Run `npm install` first/)
  })

  test('explains itself', () => {
    expect(build(root, '--help').stdout).toMatch(/^Usage: node datasets\/build\.mjs/)
    expect(build(root, '--what')).toMatchObject({ status: 1, stderr: expect.stringContaining('unknown option --what') })
  })
})
