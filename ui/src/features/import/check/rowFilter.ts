import type { ImportView, RowFilter } from '@/ipc/bindings';

const NO_FILTER: RowFilter = { severity: null, code: null, field: null, text: null, state: null, sort: null, round: 0 };

/** Returns the filter for all rows of the import. A retry has only the rejected rows. */
export function initialRowFilter(view: ImportView): RowFilter {
  return view.rejectedRows > 0 ? { ...NO_FILTER, state: 'rejected' } : NO_FILTER;
}
