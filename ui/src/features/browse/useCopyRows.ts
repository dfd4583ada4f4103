import { notifications } from '@mantine/notifications';
import type { GridApi } from 'ag-grid-community';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import { tellProblem } from '../../components/tellProblem';
import { commands } from '../../ipc/bindings';
import type { TableRow } from './cells';
import type { TableColumn } from './columns';
import { copyText, rowsAsText } from './copyRows';
import { shownColumns } from './tableLook';
import type { useCellWords } from './useCellWords';
import type { Table } from './useTable';

/** More rows go into a file. */
const most = 20_000;

export type Copying = {
  /** The ticked rows, else all that are shown. */
  rows: () => void;
  /** The ticked rows, else the cell that a person stands on. */
  there: () => void;
};

/** Rows or a cell into the clipboard, as text that a spreadsheet takes. */
export function useCopyRows(api: GridApi<TableRow> | null, set: number | null, table: Table, columns: readonly TableColumn[], words: ReturnType<typeof useCellWords>, ticked: readonly number[]): Copying {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { arrangement, view } = table;
  const rows = useCallback(() => {
    if (set === null) return;
    let count = 0;
    const text = async () => {
      // In the order in which they are shown.
      const shown = await commands.browsePositions(set, arrangement, 0, ticked.length > 0 ? everything : most);
      const chosen = new Set(ticked);
      const positions = ticked.length > 0 ? shown.filter((at) => chosen.has(at)).slice(0, most) : shown;
      count = positions.length;
      return rowsAsText({ set, positions, columns: shownColumns(columns, view.columns), words });
    };
    copyText(text())
      .then(() => notifications.show({ message: t('table.copied', { count, rows: number(count) }), closeButtonProps: { 'aria-label': t('common.close') } }))
      .catch(tellProblem);
  }, [set, arrangement, view.columns, ticked, columns, words, number, t]);
  const there = useCallback(() => {
    if (ticked.length > 0) return rows();
    const cell = api?.getFocusedCell();
    const node = cell && api?.getDisplayedRowAtIndex(cell.rowIndex);
    if (!api || !cell || !node) return;
    copyText(Promise.resolve(String(api.getCellValue({ rowNode: node, colKey: cell.column }) ?? ''))).catch(tellProblem);
  }, [api, ticked, rows]);
  return { rows, there };
}

const everything = 4_000_000_000;
