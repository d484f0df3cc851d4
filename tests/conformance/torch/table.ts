// The one table from PyTorch's operators (names of its table of operators) to ops of ours; families lie below table/.

import type { Tensor } from '../../../engine/api/index.ts';
import type { Arguments } from './arguments.ts';
import { elementwise } from './table/elementwise.ts';
import { linalg } from './table/linalg.ts';
import { loss } from './table/loss.ts';
import { movement } from './table/movement.ts';
import { network } from './table/network.ts';
import { recurrent } from './table/recurrent.ts';
import { reduce } from './table/reduce.ts';

/** A result of PyTorch's that ours does not give; it is not compared. */
export const notOurs = Symbol('not ours');

/** The results in PyTorch's order, or why a sample cannot be replayed. */
export type Row = (a: Arguments) => Tensor | readonly (Tensor | typeof notOurs)[] | string;
export type Table = Readonly<Record<string, Row>>;

export const table: Table = { ...elementwise, ...reduce, ...movement, ...linalg, ...network, ...loss, ...recurrent };
