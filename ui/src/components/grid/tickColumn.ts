import type { ColDef, GridOptions } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { TickCell, type TickWords } from './TickCell';

/** Rows that are ticked one by one; looking at one doesn't tick it. The boxes are those of a column of our own. */
export const ticks: GridOptions['rowSelection'] = { mode: 'multiRow', checkboxes: false, headerCheckbox: false, enableClickSelection: false };

/** No member of an answer has such a name. */
export const tickColumnId = 'row tick';

/** The column of the tick boxes, to stand before all others; its heading is heard, not seen. */
export function useTickColumn<T>(): ColDef<T> {
  const { t } = useTranslation();
  return useMemo(() => {
    const heard = (state: string) => `${t('grid.toggleRow')} (${state})`;
    const words: TickWords = { ticked: heard(t('grid.checked')), unticked: heard(t('grid.unchecked')) };
    return {
      colId: tickColumnId,
      headerName: t('table.tickColumn'),
      headerClass: 'hidden-head',
      cellClass: 'tick-cell',
      cellRenderer: TickCell,
      cellRendererParams: words,
      pinned: 'left',
      lockPosition: 'left',
      lockPinned: true,
      lockVisible: true,
      width: 36,
      minWidth: 36,
      resizable: false,
      sortable: false,
      suppressMovable: true,
      suppressAutoSize: true,
    };
  }, [t]);
}
