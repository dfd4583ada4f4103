import { notifications } from '@mantine/notifications';
import type { GridApi } from 'ag-grid-community';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { Row, TableRow } from '@/base/values/cells';
import type { useCellWords } from '@/base/values/useCellWords';
import { CopyButton } from '@/components/controls/CopyButton';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { commands } from '@/ipc/bindings';
import { copyText } from '@/ipc/clipboard';
import { formatRows, loadRowsAsText } from './clipboard';
import type { TableColumn } from './columns';
import { shownColumns } from './tableLook';
import type { Table } from './useTable';

/** Maximum number of copied rows. More can be exported. */
const MAX_COPIED_ROWS = 20_000;
const MAX_ROWS = 4_000_000_000;

export type Copying = {
  /** Copies the ticked rows, or else all visible rows. */
  rows: () => void;
  /** Copies the ticked rows, or else the focused cell. */
  there: () => void;
};

/** Copies rows or a cell as text for spreadsheets. */
export function useCopyRows(api: GridApi<TableRow> | null, set: number | null, table: Table, columns: readonly TableColumn[], words: ReturnType<typeof useCellWords>, ticked: readonly number[]): Copying {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { arrangement, view } = table;
  const rows = useCallback(() => {
    if (set === null) return;
    const form = { columns: shownColumns(columns, view.columns), words };
    const drawn = ticked.length > 0 ? loadedRows(api, ticked) : null;
    let count = drawn?.length ?? 0;
    const confirmSize = async () => {
      // In display order.
      const shown = await commands.browsePositions(set, arrangement, 0, ticked.length > 0 ? MAX_ROWS : MAX_COPIED_ROWS);
      const chosen = new Set(ticked);
      const positions = ticked.length > 0 ? shown.filter((at) => chosen.has(at)).slice(0, MAX_COPIED_ROWS) : shown;
      count = positions.length;
      return loadRowsAsText(set, positions, form);
    };
    const text = drawn ? formatRows(drawn, form) : confirmSize();
    const notice = { closeButtonProps: { 'aria-label': t('common.close') } };
    const finish = async () => {
      const done = await copyText(text);
      const message = t('table.copied', { count, rows: number(count) });
      if (done) notifications.show({ ...notice, message: message });
      else notifications.show({ ...notice, autoClose: false, message: <CopyButton wide value={await text} label={t('table.copyNow', { count, rows: number(count) })} /> });
    };
    finish().catch(showProblemNotice);
  }, [api, set, arrangement, view.columns, ticked, columns, words, number, t]);
  const there = useCallback(() => {
    if (ticked.length > 0) return rows();
    const cell = api?.getFocusedCell();
    const node = cell && api?.getDisplayedRowAtIndex(cell.rowIndex);
    if (!api || !cell || !node) return;
    void copyText(String(api.getCellValue({ rowNode: node, colKey: cell.column }) ?? ''));
  }, [api, ticked, rows]);
  return { rows, there };
}

/** Returns the ticked rows in display order, if the grid has loaded all of them. */
function loadedRows(api: GridApi<TableRow> | null, ticked: readonly number[]): Row[] | null {
  const positions = new Set(ticked);
  const copied: { at: number; row: Row }[] = [];
  api?.forEachNode(({ data, rowIndex }) => {
    if (data && rowIndex !== null && positions.has(data.position)) copied.push({ at: rowIndex, row: data.row });
  });
  return copied.length === ticked.length ? copied.toSorted((a, b) => a.at - b.at).map(({ row }) => row) : null;
}
