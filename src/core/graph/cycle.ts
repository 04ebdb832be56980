import { LoopwrightError } from '../error.ts';

export type GraphNode = {
  readonly id: string;
  readonly title: string;
  readonly parentId: string | null;
};

export type Edge = { readonly taskId: string; readonly dependsOn: string };

export type Sorted =
  | { readonly kind: 'sorted'; readonly ids: readonly string[] }
  | { readonly kind: 'cycle'; readonly path: readonly GraphNode[] };

/**
 * Orders tasks so that each comes after everything it waits for: its dependencies and its children. Without such an
 * order some tasks could never be done; the path then leads from one of them back to itself.
 */
export function sortByNeeds(nodes: readonly GraphNode[], edges: readonly Edge[]): Sorted {
  const graph = new Graph(nodes, edges);
  const sorted: string[] = [];
  const state = new Map<string, 'open' | 'closed'>();
  for (const node of nodes) {
    if (state.has(node.id)) continue;
    const cycle = visit(node.id, graph, state, sorted);
    if (cycle !== null) return { kind: 'cycle', path: graph.nodesOf(cycle) };
  }
  return { kind: 'sorted', ids: sorted };
}

/**
 * Tasks that would wait for each other, first and last the same; null when there are none. Also refused: a task that
 * depends on its own descendant, which it waits for anyway.
 */
export function findCycle(
  nodes: readonly GraphNode[],
  edges: readonly Edge[],
): readonly GraphNode[] | null {
  const sorted = sortByNeeds(nodes, edges);
  if (sorted.kind === 'cycle') return sorted.path;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const { taskId, dependsOn } of edges) {
    const task = byId.get(taskId);
    const dependency = byId.get(dependsOn);
    if (task === undefined || dependency === undefined) continue;
    if (isAncestor(taskId, dependency, byId)) return [task, dependency, task];
  }
  return null;
}

/** Throws `task.cycle` with the cycle in its message. */
export function assertNoCycle(nodes: readonly GraphNode[], edges: readonly Edge[]): void {
  const cycle = findCycle(nodes, edges);
  if (cycle !== null) throw cycleError(cycle, nodes);
}

const maxShown = 12;

function cycleError(cycle: readonly GraphNode[], nodes: readonly GraphNode[]): LoopwrightError {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const shown = cycle.length <= maxShown ? cycle : cycle.slice(0, maxShown - 2);
  const steps = shown.map((node) => node.title);
  const last = cycle.at(-1);
  if (shown.length < cycle.length && last !== undefined) steps.push('…', last.title);
  return new LoopwrightError(
    'task.cycle',
    `these tasks would wait for each other for ever: ${steps.join(' → ')}${kinship(shown, byId)}`,
    {
      hint: 'Remove one of these dependencies, or move a task out of its parent.',
      details: { cycle: cycle.map((node) => node.id) },
    },
  );
}

/** A parent waits for its children without anybody having said so; the reader needs to be told. */
function kinship(cycle: readonly GraphNode[], byId: ReadonlyMap<string, GraphNode>): string {
  const notes = new Set<string>();
  for (const parent of cycle) {
    for (const child of cycle) {
      if (isAncestor(parent.id, child, byId)) {
        notes.add(`“${child.title}” is part of “${parent.title}”`);
      }
    }
    if (notes.size > 2) break;
  }
  return notes.size === 0 ? '' : ` (${[...notes].slice(0, 3).join(', ')})`;
}

/** Bounded by the number of tasks, so that even a circular parentage ends. */
function isAncestor(
  ancestorId: string,
  node: GraphNode,
  byId: ReadonlyMap<string, GraphNode>,
): boolean {
  let current = node.parentId;
  for (let steps = 0; current !== null && steps <= byId.size; steps += 1) {
    if (current === ancestorId) return true;
    current = byId.get(current)?.parentId ?? null;
  }
  return false;
}

class Graph {
  readonly #nodes: ReadonlyMap<string, GraphNode>;
  readonly #needs = new Map<string, string[]>();

  constructor(nodes: readonly GraphNode[], edges: readonly Edge[]) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]));
    for (const node of nodes) if (node.parentId !== null) this.#add(node.parentId, node.id);
    for (const edge of edges) this.#add(edge.taskId, edge.dependsOn);
  }

  needsOf(id: string): readonly string[] {
    return this.#needs.get(id) ?? [];
  }

  nodesOf(ids: readonly string[]): readonly GraphNode[] {
    return ids.flatMap((id) => this.#nodes.get(id) ?? []);
  }

  #add(id: string, needed: string): void {
    if (!this.#nodes.has(id) || !this.#nodes.has(needed)) return;
    const needs = this.#needs.get(id);
    if (needs === undefined) this.#needs.set(id, [needed]);
    else needs.push(needed);
  }
}

/** Depth first without recursion: chains may be thousands of tasks long. Returns a closed path when it meets one. */
function visit(
  start: string,
  graph: Graph,
  state: Map<string, 'open' | 'closed'>,
  sorted: string[],
): readonly string[] | null {
  const path = [{ id: start, next: 0 }];
  state.set(start, 'open');
  for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
    const needed = graph.needsOf(step.id)[step.next];
    step.next += 1;
    if (needed === undefined) {
      state.set(step.id, 'closed');
      sorted.push(step.id);
      path.pop();
      continue;
    }
    const seen = state.get(needed);
    if (seen === 'open') {
      const from = path.findIndex((entry) => entry.id === needed);
      return [...path.slice(from).map((entry) => entry.id), needed];
    }
    if (seen === 'closed') continue;
    state.set(needed, 'open');
    path.push({ id: needed, next: 0 });
  }
  return null;
}
