import type { ColumnView, FieldView, Problem } from '@/ipc/bindings';

export type Group = 'unsure' | 'matched' | 'left';

/** Columns by how sure their match is, in the file's order within each group. */
export function grouped(columns: readonly ColumnView[]): { group: Group; columns: number[] }[] {
  const order: Group[] = ['unsure', 'matched', 'left'];
  return order.map((group) => ({
    group,
    // Takt's own two columns, from an earlier time, are nobody's field.
    columns: columns.filter((column) => !column.own && groupOf(column) === group).map((column) => column.index),
  }));
}

/** The first `most` columns of the groups, with how many each group has; no empty groups. */
export function limited(
  groups: readonly { group: Group; columns: number[] }[],
  most: number,
): { group: Group; columns: number[]; total: number }[] {
  return groups
    .map(({ group, columns }, at) => {
      const before = groups.slice(0, at).reduce((sum, one) => sum + one.columns.length, 0);
      return { group, columns: columns.slice(0, Math.max(0, most - before)), total: columns.length };
    })
    .filter(({ columns }) => columns.length > 0);
}

function groupOf(column: ColumnView): Group {
  if (column.format && column.format.choice === null) return 'unsure';
  if (column.matched) return column.matched.reason === 'similar' ? 'unsure' : 'matched';
  return column.candidates.length > 0 ? 'unsure' : 'left';
}

/** A field as a person reads it: the name of a part follows the name of its list, which the path shows. */
export function fieldName(fields: readonly FieldView[], path: string, language: string): string {
  const found = fields.find((field) => field.path === path);
  return found?.names[language] || found?.names.en || path;
}

/** A refusal that names a field by its path names it as the page does. */
export function inWords(problem: Problem, fields: readonly FieldView[], language: string): Problem {
  const { field } = problem.parameters;
  if (!field) return problem;
  return { ...problem, parameters: { ...problem.parameters, field: fieldName(fields, field, language) } };
}
