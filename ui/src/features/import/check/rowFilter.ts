import type { ImportView, RowFilter } from '@/ipc/bindings';

const everything: RowFilter = { severity: null, code: null, field: null, text: null, state: null, sort: null, round: 0 };

/** The rows that an import is about: all, or those that were rejected where it follows a submission that had them rejected. */
export function everyRow(view: ImportView): RowFilter {
  return view.rejectedRows > 0 ? { ...everything, state: 'rejected' } : everything;
}
