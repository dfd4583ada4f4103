import type { CellFocusedEvent, GridOptions, IDatasource } from 'ag-grid-community';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Grid } from '../../components/Grid';
import { ProblemNote } from '../../components/ProblemNote';
import { type GridRow, type ImportView, type Problem, type RowFilter, commands } from '../../ipc/bindings';
import { toProblem } from '../../ipc/problem';
import type { FocusedCell } from './CellStatus';
import { rowColumns } from './rowColumns';
import styles from './check.module.css';

type Props = {
  view: ImportView;
  filter: RowFilter;
  onFocus: (cell: FocusedCell | null) => void;
  onTotal: (total: number) => void;
};

/** The sheet's rows as Excel numbers them, read piece by piece however many there are. */
export function RowsGrid({ view, filter, onFocus, onTotal }: Props) {
  const { t, i18n } = useTranslation();
  const [problem, setProblem] = useState<Problem | null>(null);
  const columns = useMemo(() => rowColumns(view, i18n.language, t), [view, i18n.language, t]);
  const datasource = useMemo<IDatasource>(
    () => ({
      getRows: ({ startRow, endRow, successCallback, failCallback }) => {
        commands.importRows(view.id, filter, startRow, endRow - startRow).then(
          (page) => {
            setProblem(null);
            onTotal(page.total);
            successCallback(page.rows, page.total);
          },
          (cause: unknown) => {
            setProblem(toProblem(cause));
            failCallback();
          },
        );
      },
    }),
    [view, filter, onTotal],
  );
  const options = useMemo<GridOptions<GridRow>>(
    () => ({
      rowModelType: 'infinite',
      cacheBlockSize: 200,
      maxBlocksInCache: 20,
      infiniteInitialRowCount: 1,
      rowBuffer: 20,
      onCellFocused: (event: CellFocusedEvent<GridRow>) => {
        const row = event.rowIndex === null ? undefined : event.api.getDisplayedRowAtIndex(event.rowIndex)?.data;
        const id = typeof event.column === 'string' ? event.column : (event.column?.getColId() ?? null);
        onFocus(row ? { row, column: id === null || id === 'row' ? null : Number(id) } : null);
      },
    }),
    [onFocus],
  );
  return (
    <div className={styles.grid}>
      {problem && <ProblemNote problem={problem} />}
      <Grid
        label={t('check.grid', { sheet: view.sheet })}
        testId="grid-check"
        columns={columns}
        options={{ ...options, datasource }}
        headerHeight={44}
      />
    </div>
  );
}
