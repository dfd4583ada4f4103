import type { ColDef, GridApi, GridOptions, ICellRendererParams, IDatasource } from 'ag-grid-community';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { usePreferences } from '@/base/preferences';
import { useOrdersOf } from '@/base/links/useOrderLists';
import { useServiceEvents } from '@/base/useServiceEvents';
import { Grid } from '@/components/grid/Grid';
import { ResultMark } from '@/components/marks/StatusMarks';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { OrderLink } from '@/components/values/OrderLink';
import { commands, type Problem, type ResultRow, type RowResult, type SubmissionView } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { useEventTitle } from '@/base/useEventTitle';
import { useFormats } from '@/base/useFormats';

import { type RowWithEvents, REFETCH_INTERVAL, useIsAboutOrders, withLaterEvents } from './useLaterEvents';
import styles from '../common/submission.module.css';

/** Returns the column with the number of events after sending, and the latest of them. */
function useLaterEventsColumn(): ColDef<RowWithEvents> {
  const { t } = useTranslation();
  const { number, timeOfDay } = useFormats();
  const title = useEventTitle();
  return useMemo(
    () => ({
      colId: 'after',
      headerName: t('after.column'),
      width: 260,
      valueGetter: ({ data }) => {
        const last = data?.after?.events[0];
        if (!data?.after || !last) return '';
        return t('after.cell', { count: data.after.count, shown: number(data.after.count), name: title(last), time: timeOfDay(last.received) });
      },
    }),
    [t, number, timeOfDay, title],
  );
}

type Props = {
  submission: SubmissionView;
  result: RowResult | null;
  find?: string;
  /** Whether only accepted rows are shown whose order hasn't started after sending. */
  notBegun?: boolean;
  onRow: (row: ResultRow | null) => void;
};

/** Rows with their results, loaded block by block. */
export function ResultGrid({ submission, result, find = '', notBegun = false, onRow }: Props) {
  const { t } = useTranslation();
  const [problem, setProblem] = useState<Problem | null>(null);
  const api = useRef<GridApi<RowWithEvents> | null>(null);
  const { id, counts } = submission;
  const site = useSite()?.site.name;
  const ordersOfKey = useOrdersOf(submission.operation);
  // Links to orders are shown only for the selected site, because an order's page reads from it.
  const ordersOf = submission.site === site ? ordersOfKey : noOrders;
  const isAboutOrders = useIsAboutOrders(submission);
  const laterEventsColumn = useLaterEventsColumn();
  const { technicalDetails } = usePreferences().preferences;
  const columns = useMemo<ColDef<RowWithEvents>[]>(
    () => [
      { colId: 'result', headerName: t('submission.result'), width: 140, cellRenderer: ResultCell },
      { colId: 'row', headerName: t('submission.row'), width: 76, field: 'row' },
      { colId: 'key', headerName: t('submission.key'), width: 220, field: 'key', cellClass: 'mono', cellRenderer: KeyCell, cellRendererParams: { ordersOf } },
      {
        colId: 'reasons',
        headerName: t('submission.reasons'),
        flex: 1,
        minWidth: 240,
        valueGetter: ({ data }) => data?.reasons.join(' · '),
      },
      ...(isAboutOrders ? [laterEventsColumn] : []),
      ...(technicalDetails ? [{ colId: 'batch', headerName: t('submission.batchColumn'), width: 80, field: 'batch' } as const] : []),
    ],
    [t, ordersOf, isAboutOrders, laterEventsColumn, technicalDetails],
  );
  const datasource = useMemo<IDatasource>(
    () => ({
      getRows: ({ startRow, endRow, successCallback, failCallback }) => {
        const count = endRow - startRow;
        const read = notBegun
          ? commands.submissionNotBegun(id, startRow, count)
          : find.trim()
            ? commands.submissionSearch(id, result, find, startRow, count)
            : commands.submissionRows(id, result, startRow, count);
        const rowsWithEvents = read.then(async (page) => {
          const shownPage = page ?? NO_ROWS;
          return { rows: isAboutOrders ? await withLaterEvents(id, shownPage) : shownPage.rows.map((row) => ({ ...row, after: null })), total: shownPage.total };
        });
        rowsWithEvents.then(
          ({ rows, total }) => {
            setProblem(null);
            successCallback(rows, total);
          },
          (cause: unknown) => {
            setProblem(toProblem(cause));
            failCallback();
          },
        );
      },
    }),
    [id, result, find, notBegun, isAboutOrders],
  );
  // Displayed rows are refetched after a batch or read-back. The scroll position stays. A read-back without new results keeps the
  // counts, but has new reasons.
  const refreshKey = JSON.stringify([counts, submission.state, submission.findingOut, submission.ended]);
  const read = useRef(refreshKey);
  useEffect(() => {
    if (read.current !== refreshKey) api.current?.refreshInfiniteCache();
    read.current = refreshKey;
  }, [refreshKey]);
  useServiceEvents(() => {
    if (isAboutOrders) api.current?.refreshInfiniteCache();
  }, REFETCH_INTERVAL);
  const options = useMemo<GridOptions<RowWithEvents>>(
    () => ({
      rowModelType: 'infinite',
      cacheBlockSize: 200,
      maxBlocksInCache: 20,
      onCellFocused: ({ rowIndex, api: grid }) => {
        onRow(rowIndex === null ? null : (grid.getDisplayedRowAtIndex(rowIndex)?.data ?? null));
      },
    }),
    [onRow],
  );
  return (
    <div className={styles.grid}>
      {problem && <ProblemNote problem={problem} />}
      <Grid
        label={t('submission.grid')}
        testId="grid-results"
        columns={columns}
        options={{ ...options, datasource }}
        onReady={(ready) => {
          api.current = ready;
        }}
      />
    </div>
  );
}

const noOrders = (): string[] => [];
const NO_ROWS = { rows: [], total: 0, offset: 0 };

/** A row's key. Its order code is a link. */
function KeyCell({ data, ordersOf }: ICellRendererParams<ResultRow> & { ordersOf: (key: string) => string[] }) {
  if (!data) return null;
  const orders = ordersOf(data.key);
  const parts = data.key.split(' · ');
  const at = parts.findIndex((part) => orders.includes(part));
  const code = parts[at];
  if (code === undefined) return data.key;
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)];
  return (
    <>
      {before.map((part) => `${part} · `)}
      <OrderLink code={code} isInGrid />
      {after.map((part) => ` · ${part}`)}
    </>
  );
}

function ResultCell({ data }: ICellRendererParams<ResultRow>) {
  return data ? <ResultMark result={data.result} /> : null;
}
