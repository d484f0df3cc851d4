// What a native build needs from the system: a C++20 compiler, CMake, Ninja and
// small helpers.
import { installPackages, which } from './common.mjs';

const needed = [
  ['g++', () => which('g++') || which('clang++')],
  ['cmake', () => which('cmake')],
  ['ninja-build', () => which('ninja')],
  ['python3', () => which('python3')],
  ['patchelf', () => which('patchelf') || process.platform !== 'linux'],
  ['ccache', () => which('ccache')],
  ['xz-utils', () => which('xz')],
];

export async function setupNative() {
  const missing = needed.filter(([, present]) => !present()).map(([name]) => name);
  if (!missing.length) return 'compiler, cmake, ninja present';
  // Without ccache everything still works, only slower: no reason to stop for it.
  if (missing.every((name) => name === 'ccache') && process.getuid?.() !== 0) return 'present (ccache would speed up rebuilding)';
  await installPackages(missing, missing.join(', '));
  return `installed ${missing.join(', ')}`;
}
