import type { RowFilter } from '../../ipc/bindings';

export const everything: RowFilter = { severity: null, code: null, field: null, text: null, state: null, sort: null, round: 0 };
