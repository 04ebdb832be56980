import { problem, refused, type Spot } from './schema-node.ts';

/** Schemas that are combined: all, any, one, none, and if-then-else. */
export function groupProblems({ node, at, value, depth, visit }: Spot): readonly string[] {
  const fits = (schema: unknown) => visit(schema, at, value, depth).length === 0;
  const problems: string[] = [];
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    const list = node[keyword];
    if (list === undefined) continue;
    if (!Array.isArray(list)) return [refused(`${keyword} is no list`)];
    const schemas: readonly unknown[] = list;
    const fitting = schemas.filter(fits).length;
    if (keyword === 'allOf') {
      problems.push(...schemas.flatMap((schema) => visit(schema, at, value, depth)));
    } else if (fitting === 0) problems.push(problem(at, `fits none of ${keyword}`));
    else if (keyword === 'oneOf' && fitting > 1) {
      problems.push(problem(at, `fits ${fitting} of oneOf`));
    }
  }
  const { not, if: condition } = node;
  if (not !== undefined && fits(not)) problems.push(problem(at, 'fits what it must not'));
  if (condition === undefined) return problems;
  const branch = node[fits(condition) ? 'then' : 'else'];
  return branch === undefined ? problems : [...problems, ...visit(branch, at, value, depth)];
}
