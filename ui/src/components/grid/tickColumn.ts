import type { GridOptions } from 'ag-grid-community';

/** Rows that are ticked one by one; looking at one doesn't tick it. */
export const ticks: GridOptions['rowSelection'] = { mode: 'multiRow', checkboxes: true, headerCheckbox: false, enableClickSelection: false };

/** The column of the tick boxes; its heading is heard, not seen. */
export const tickColumn: GridOptions['selectionColumnDef'] = {
  pinned: 'left',
  width: 36,
  minWidth: 36,
  resizable: false,
  suppressMovable: true,
  headerClass: 'hidden-head',
};
