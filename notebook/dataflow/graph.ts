// Who depends on whom: for every name a cell uses, the cells its value comes from, in document order. Pure.
// Says nothing of what has run; schedule.ts does.

/** Names of one code cell, as notebook/transpile finds them. */
export interface CellNames {
  readonly id: string;
  readonly declared: readonly string[];
  /** Used, and not declared in this cell. Built-ins may be among them. */
  readonly references: readonly string[];
  /** Assigned, and not declared in this cell. */
  readonly writes: readonly string[];
}

/** Where the value of a used name comes from. */
export interface NameSource {
  readonly name: string;
  /** The nearest cell above that declares it. */
  readonly owner: string;
  /** Cells between the owner and the user that assign it, in order. */
  readonly writers: readonly string[];
}

export interface Graph {
  /** Cells in document order. */
  readonly order: readonly string[];
  /** For each cell, the names it takes from other cells. */
  readonly sources: ReadonlyMap<string, readonly NameSource[]>;
  /** Cells whose values a cell uses directly, in document order. */
  readonly parents: ReadonlyMap<string, readonly string[]>;
  /** Cells that use a cell's values directly, in document order. */
  readonly children: ReadonlyMap<string, readonly string[]>;
  /** Uses of a name that only a cell further down declares. Nothing is refused; the page marks them. */
  readonly early: readonly { readonly cell: string; readonly name: string; readonly owner: string }[];
}

/** Reads the graph from cells in document order. */
export function graph(cells: readonly CellNames[]): Graph {
  const sources = new Map<string, NameSource[]>();
  const early: { cell: string; name: string; owner: string }[] = [];
  const known = new Map<string, { owner: string; writers: string[] }>();
  for (const [index, cell] of cells.entries()) {
    const used: NameSource[] = [];
    for (const name of new Set([...cell.references, ...cell.writes])) {
      const source = known.get(name);
      if (source) {
        used.push({ name, owner: source.owner, writers: [...source.writers] });
      } else {
        const later = cells.slice(index + 1).find(({ declared }) => declared.includes(name));
        if (later) early.push({ cell: cell.id, name, owner: later.id });
      }
    }
    sources.set(cell.id, used);
    for (const name of cell.writes) known.get(name)?.writers.push(cell.id);
    for (const name of cell.declared) known.set(name, { owner: cell.id, writers: [] });
  }
  const order = cells.map(({ id }) => id);
  const parents = new Map(order.map((id) => [id, inOrder(order, parentsOf(sources.get(id) ?? []))]));
  const children = new Map(order.map((id) => [id, order.filter((other) => parents.get(other)?.includes(id))]));
  return { order, sources, parents, children, early };
}

/** All cells that a change of `id` can reach, in document order, without `id` itself. */
export function dependents(of: Graph, id: string): string[] {
  return reach(of, id, of.children);
}

/** All cells that `id` builds on, in document order, without `id` itself. */
export function requirements(of: Graph, id: string): string[] {
  return reach(of, id, of.parents);
}

function reach({ order }: Graph, start: string, edges: ReadonlyMap<string, readonly string[]>): string[] {
  const reached = new Set<string>();
  const visit = (id: string): void => {
    for (const next of edges.get(id) ?? []) {
      if (next === start || reached.has(next)) continue;
      reached.add(next);
      visit(next);
    }
  };
  visit(start);
  return inOrder(order, reached);
}

function parentsOf(sources: readonly NameSource[]): Set<string> {
  return new Set(sources.flatMap(({ owner, writers }) => [owner, ...writers]));
}

function inOrder(order: readonly string[], ids: ReadonlySet<string>): string[] {
  return order.filter((id) => ids.has(id));
}
