import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  assertNoCycle,
  findCycle,
  sortByNeeds,
  type Edge,
  type GraphNode,
} from '../../../src/core/graph/cycle.ts';

describe('a cycle', () => {
  test('is shown with titles, and coded', () => {
    const nodes = [node('a', 'Parse'), node('b', 'Lex'), node('c', 'Print')];
    const edges = [edge('a', 'b'), edge('b', 'a'), edge('c', 'a')];
    expect(() => assertNoCycle(nodes, edges)).toThrow(
      expect.objectContaining({
        code: 'task.cycle',
        message: 'these tasks would wait for each other for ever: Parse → Lex → Parse',
      }),
    );
  });

  test('is found when a task depends on itself', () => {
    expect(idsOf(findCycle([node('a')], [edge('a', 'a')]))).toEqual(['a', 'a']);
  });

  test('is found when a task depends on its ancestor', () => {
    const nodes = [node('a', 'Build'), node('b', 'Compile', 'a'), node('c', 'Link', 'b')];
    expect(() => assertNoCycle(nodes, [edge('c', 'a')])).toThrow(
      'Build → Compile → Link → Build (“Compile” is part of “Build”, “Link” is part of “Build”, ' +
        '“Link” is part of “Compile”)',
    );
  });

  test('is found when a task depends on its descendant', () => {
    const nodes = [node('a', 'Build'), node('b', 'Compile', 'a')];
    expect(() => assertNoCycle(nodes, [edge('a', 'b')])).toThrow(
      'Build → Compile → Build (“Compile” is part of “Build”)',
    );
  });

  test('is found across parents: each waits for a child of the other', () => {
    const nodes = [node('a'), node('b'), node('a1', 'a1', 'a'), node('b1', 'b1', 'b')];
    const path = idsOf(findCycle(nodes, [edge('a1', 'b'), edge('b1', 'a')]));
    expect(new Set(path)).toEqual(new Set(['a', 'a1', 'b', 'b1']));
    expect(path[0]).toBe(path.at(-1));
  });

  test('is not seen in a diamond, nor in a parent that comes after the sibling of its child', () => {
    const diamond = [edge('d', 'b'), edge('d', 'c'), edge('b', 'a'), edge('c', 'a')];
    expect(
      findCycle(
        ['a', 'b', 'c', 'd'].map((id) => node(id)),
        diamond,
      ),
    ).toBeNull();
    const family = [node('p'), node('c', 'c', 'p'), node('x')];
    expect(findCycle(family, [edge('p', 'x'), edge('x', 'c')])).toBeNull();
  });

  test('is found in a chain of 20 000 tasks without recursion, and shown in short', () => {
    const size = 20_000;
    const nodes = Array.from({ length: size }, (_, index) => node(`t${index}`));
    const edges = nodes.map((_, index) => edge(`t${index}`, `t${(index + 1) % size}`));
    expect(() => assertNoCycle(nodes, edges)).toThrow(/: t0 → t1 → .* → t9 → … → t0$/);
    expect(findCycle(nodes, edges.slice(0, -1))).toBeNull();
  });
});

describe('the order of needs', () => {
  const size = 12;
  const graph = fc.record({
    parents: fc.array(fc.option(fc.nat({ max: size - 1 })), { minLength: size, maxLength: size }),
    edges: fc.array(fc.tuple(fc.nat({ max: size - 1 }), fc.nat({ max: size - 1 })), {
      maxLength: 16,
    }),
  });

  test('puts everything after what it waits for, or shows a real path back to the start', () => {
    fc.assert(
      fc.property(graph, ({ parents, edges: pairs }) => {
        // Parents come earlier, so that the tree itself is one.
        const nodes = parents.map((parent, index) =>
          node(`t${index}`, `t${index}`, parent !== null && parent < index ? `t${parent}` : null),
        );
        const edges = pairs.map(([from, to]) => edge(`t${from}`, `t${to}`));
        const sorted = sortByNeeds(nodes, edges);
        if (sorted.kind === 'sorted') expectInOrder(nodes, edges, sorted.ids);
        else expectRealPath(nodes, edges, idsOf(sorted.path));
      }),
    );
  });
});

function expectInOrder(
  nodes: readonly GraphNode[],
  edges: readonly Edge[],
  ids: readonly string[],
): void {
  expect([...ids].toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
  const at = new Map(ids.map((id, index) => [id, index]));
  for (const { taskId, dependsOn } of edges)
    expect(at.get(dependsOn)).toBeLessThan(at.get(taskId)!);
  for (const { id, parentId } of nodes) {
    if (parentId !== null) expect(at.get(id)).toBeLessThan(at.get(parentId)!);
  }
}

function expectRealPath(
  nodes: readonly GraphNode[],
  edges: readonly Edge[],
  path: readonly string[],
): void {
  expect(path.length).toBeGreaterThan(1);
  expect(path[0]).toBe(path.at(-1));
  for (const [index, from] of path.slice(0, -1).entries()) {
    const to = path[index + 1]!;
    const depends = edges.some(({ taskId, dependsOn }) => taskId === from && dependsOn === to);
    const isParent = nodes.some(({ id, parentId }) => id === to && parentId === from);
    expect(depends || isParent).toBe(true);
  }
}

function node(id: string, title = id, parentId: string | null = null): GraphNode {
  return { id, title, parentId };
}

function edge(taskId: string, dependsOn: string): Edge {
  return { taskId, dependsOn };
}

function idsOf(nodes: readonly GraphNode[] | null): readonly string[] {
  return (nodes ?? []).map(({ id }) => id);
}
