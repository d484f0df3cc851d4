// What to do about errors that JavaScript itself throws: its messages say what is wrong and leave the next step to the reader.
import { undeclaredName } from '../protocol/errors.ts';

/** What is known about a failed run beside the error. */
export interface Clues {
  /** The line of the cell on which it failed; '' when that is not known. */
  readonly line: string;
  /** Names of all cells that have a value, and those that cells have from us. */
  readonly names: readonly string[];
  /** What the value of a name has, by name; nothing when it has no value. */
  members(name: string): readonly string[];
  /** Whether a name holds a promise, as the failed cell sees it. */
  holdsPromise(name: string): boolean;
}

/** Names that people bring along from pages, Node and Python, and what stands for them here. */
const ELSEWHERE: readonly (readonly [names: string, hint: string])[] = [
  ['document window localStorage sessionStorage alert confirm prompt history', 'Cells run beside the page and cannot reach it: show things with `display`, ask for values with `ui`.'],
  ['require module exports process', 'That is Node. Cells import files beside the notebook: `import { f } from "./name.js"`.'],
  ['print', 'That is Python; here it is `console.log`.'],
  ['None', 'That is Python; here it is `null`.'],
  ['True', 'That is Python; here it is `true`.'],
  ['False', 'That is Python; here it is `false`.'],
  ['len', 'That is Python; here lists and texts have `.length`.'],
  ['range', 'That is Python; here it is `for (let i = 0; i < n; i++)`.'],
  ['np numpy torch tf', 'There is no such module here: `tensor`, `zeros`, `randn`, `nn` and `optim` are there by themselves.'],
];

export function hintFor(name: string, message: string, clues: Clues): string {
  const undeclared = undeclaredName(name, message);
  if (undeclared !== null) return forUndeclared(undeclared, clues);
  if (name === 'ReferenceError' && /before initialization/.test(message)) {
    return 'Its declaration comes later in the cell; move it up.';
  }
  if (name === 'TypeError') return forType(message, clues);
  if (name === 'EvalError') return 'Cells cannot turn text into code (eval, new Function); write the code into a cell.';
  if (name === 'RangeError' && /memory|Array buffer allocation/i.test(message)) {
    return 'The kernel is out of memory: use smaller batches or fewer examples, then restart it.';
  }
  if (/^(RangeError|InternalError)$/.test(name) && /call stack|recursion/i.test(message)) {
    return 'A function calls itself without an end: it needs a case in which it does not.';
  }
  return '';
}

function forUndeclared(missing: string, { line, names }: Clues): string {
  const elsewhere = ELSEWHERE.find(([all]) => all.split(' ').includes(missing));
  if (elsewhere) return elsewhere[1];
  const near = nearest(missing, names);
  if (near) return `Did you mean \`${near}\`?`;
  if (isAssigned(missing, line)) return `Declare it first: \`const ${missing} = …\`, or \`let\` if it is meant to change.`;
  return 'Run the cell that declares it first, or check the spelling.';
}

function forType(message: string, { line, holdsPromise, members }: Clues): string {
  if (message.startsWith('Assignment to constant variable')) {
    return 'Declare it with `let` there if it is meant to change, or declare a new name here.';
  }
  if (/^(Failed to fetch|NetworkError|Load failed)/.test(message)) {
    return 'Cells have no network. Use the datasets under `data`, or import a file beside the notebook.';
  }
  // One that the line waits for is not to blame.
  const unawaited = line.replace(/\bawait\s+[\p{ID_Start}$_][\p{ID_Continue}$]*/gu, '');
  const promise = [...new Set(unawaited.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu))].find(holdsPromise);
  if (!promise) return forMember(message, members);
  return `\`${promise}\` is a promise, not yet what it promises: write \`await\` where it is made.`;
}

/** `nn.Linear is not a function`, and nn has `linear`. */
function forMember(message: string, members: Clues['members']): string {
  const [, owner = '', member = ''] = /(?:^|[\s'"])([\p{ID_Start}$_][\p{ID_Continue}$]*)\.([\p{ID_Start}$_][\p{ID_Continue}$]*) is not a (?:function|constructor)/u.exec(message) ?? [];
  // Short names are near too many others.
  const near = member.length > 3 ? nearest(member, members(owner)) : null;
  return near ? `Did you mean \`${owner}.${near}\`?` : '';
}

const isAssigned = (name: string, line: string) => new RegExp(`(?<![\\p{ID_Continue}$.])${name.replaceAll('$', '\\$')}\\s*=[^=]`, 'u').test(line);

/** The name that differs least, when it differs by a slip: one letter in short names, two in others. */
function nearest(missing: string, names: readonly string[]): string | null {
  const limit = missing.length < 3 ? 0 : missing.length < 6 ? 1 : 2;
  let found: string | null = null;
  let least = limit + 1;
  for (const name of names) {
    if (name === missing) continue;
    const distance = name.toLowerCase() === missing.toLowerCase() ? 0.5 : slips(missing, name, least);
    if (distance < least) [found, least] = [name, distance];
  }
  return found;
}

/** Letters to put in, take out, change or swap with their neighbour; `limit` when it is that or more. */
function slips(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, before[j - 2]! + 1);
      row.push(cost);
    }
    [before, last] = [last, row];
  }
  return Math.min(limit, last[b.length]!);
}
