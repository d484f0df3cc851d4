// PyTorch's linear algebra in ops of ours.

import { ops } from '../../../../engine/api/index.ts';
import type { Table } from '../table.ts';

export const linalg: Table = {
  matmul: (a) => ops.matmul(a.tensor(0), a.tensor(1)),
  mm: (a) => ops.matmul(a.tensor(0), a.tensor(1)),
  mv: (a) => ops.matmul(a.tensor(0), a.tensor(1)),
  bmm: (a) => ops.bmm(a.tensor(0), a.tensor(1)),
  dot: (a) => ops.dot(a.tensor(0), a.tensor(1)),
  outer: (a) => ops.outer(a.tensor(0), a.tensor(1)),
  einsum: (a) => ops.einsum(a.tensors(0), a.text(1, '', '')),
  tril: (a) => ops.tril(a.tensor(0), a.number(1, 'diagonal', 0)),
  triu: (a) => ops.triu(a.tensor(0), a.number(1, 'diagonal', 0)),
  diag: (a) => ops.diag(a.tensor(0), a.number(1, 'diagonal', 0)),
  trace: (a) => ops.trace(a.tensor(0)),
  'linalg.solve': (a) => ops.solve(a.tensor(0), a.tensor(1)),
  'linalg.inv': (a) => ops.inverse(a.tensor(0)),
  'linalg.cholesky': (a) => {
    const lower = ops.cholesky(a.tensor(0));
    return a.flag(1, 'upper') ? ops.transpose(lower) : lower;
  },
  'linalg.qr': (a) => {
    if (a.text(1, 'mode', 'reduced') !== 'reduced') return 'ours gives the reduced form only';
    return [ops.qrQ(a.tensor(0)), ops.qrR(a.tensor(0))];
  },
  'linalg.det': (a) => ops.det(a.tensor(0)),
};
