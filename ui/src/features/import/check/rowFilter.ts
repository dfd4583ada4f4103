import type { ImportView, RowFilter } from '@/ipc/bindings';

const everything: RowFilter = { severity: null, code: null, field: null, text: null, state: null, sort: null, round: 0 };

/** Returns the filter for all rows of the import. A retry has only the rejected rows. */
export function everyRow(view: ImportView): RowFilter {
  return view.rejectedRows > 0 ? { ...everything, state: 'rejected' } : everything;
}
