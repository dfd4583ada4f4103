import type { ColumnView } from '@/ipc/bindings';

export type Group = 'unsure' | 'matched' | 'left';

/** Groups columns by the certainty of their match, in file order within each group. */
export function groupColumns(columns: readonly ColumnView[]): { group: Group; columns: number[] }[] {
  const order: Group[] = ['unsure', 'matched', 'left'];
  return order.map((group) => ({
    group,
    // Columns that Takt added to an earlier export have no field.
    columns: columns.filter((column) => !column.own && groupOf(column) === group).map((column) => column.index),
  }));
}

/** Returns the first `most` columns of the groups, with each group's full count. Empty groups are dropped. */
export function limitGroups(
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
