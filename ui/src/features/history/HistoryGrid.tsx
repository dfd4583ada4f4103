import type { CellKeyDownEvent, ColDef, GridApi, GridOptions, ICellRendererParams, IDatasource } from 'ag-grid-community';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { Grid } from '@/components/grid/Grid';
import { SiteLabel } from '@/components/marks/SiteName';
import { StatusPill, type Tone } from '@/components/marks/StatusPill';
import { shownState } from '@/features/submission';
import { type HistoryQuery, type Problem, type SubmissionState, type SubmissionView, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { toProblem } from '@/ipc/problem';
import { ResultCounts } from './ResultCounts';
import { type HistoryRead, toQueryText } from './historyFilter';
import { useRelation } from './useRelation';
import styles from './history.module.css';

type Props = {
  query: HistoryQuery;
  open: (id: number) => void;
  onRead: (read: HistoryRead) => void;
  onProblem: (problem: Problem | null) => void;
};
type Cell = ICellRendererParams<SubmissionView>;

/** Minimum time between two refreshes, in milliseconds. */
const REFRESH_INTERVAL = 500;

/** The submission list, loaded block by block. Enter or a double click opens a submission. */
export function HistoryGrid({ query, open, onRead, onProblem }: Props) {
  const { t } = useTranslation();
  const api = useRef<GridApi<SubmissionView> | null>(null);
  const columns = useColumns(open);
  const queryText = toQueryText(query);
  const datasource = useMemo<IDatasource>(() => {
    const steadyQuery = JSON.parse(queryText) as HistoryQuery;
    return {
      getRows: ({ startRow, endRow, successCallback, failCallback }) => {
        commands.historyList(steadyQuery, startRow, endRow - startRow).then(
          (list) => {
            onProblem(null);
            onRead({ queryText: queryText, total: list.total });
            successCallback(list.submissions, list.total);
          },
          (cause: unknown) => {
            onProblem(toProblem(cause));
            failCallback();
          },
        );
      },
    };
  }, [queryText, onRead, onProblem]);
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const readSoon = () => {
      waiting ??= setTimeout(() => {
        waiting = undefined;
        api.current?.refreshInfiniteCache();
      }, REFRESH_INTERVAL);
    };
    const stops = [listen(events.submissionChanged, readSoon), listen(events.teamSubmissionChanged, readSoon)];
    return () => {
      clearTimeout(waiting);
      stops.forEach((stop) => stop());
    };
  }, []);
  const options = useMemo<GridOptions<SubmissionView>>(
    () => ({
      rowModelType: 'infinite',
      cacheBlockSize: 100,
      maxBlocksInCache: 20,
      getRowId: ({ data }) => String(data.id),
      onRowDoubleClicked: ({ data }) => data && open(data.id),
      onCellKeyDown: (event) => {
        if ('column' in event && isEnter(event) && event.data) open(event.data.id);
      },
    }),
    [open],
  );
  return (
    <Grid
      label={t('history.grid')}
      testId="grid-history"
      columns={columns}
      options={{ ...options, datasource }}
      onReady={(ready) => {
        api.current = ready;
      }}
    />
  );
}

function useColumns(open: Props['open']): ColDef<SubmissionView>[] {
  const { t } = useTranslation();
  const { name } = useFormats();
  const operations = useOperations();
  const relation = useRelation();
  return useMemo<ColDef<SubmissionView>[]>(
    () => [
      { colId: 'id', headerName: t('history.number'), width: 64, field: 'id', type: 'rightAligned' },
      { colId: 'started', headerName: t('history.when'), width: 180, cellRenderer: StartCell, cellRendererParams: { open } },
      { colId: 'person', headerName: t('history.person'), width: 96, field: 'person' },
      {
        headerName: t('history.operation'),
        flex: 1,
        minWidth: 140,
        valueGetter: ({ data }) =>
          data && [operationName(operations, data.operation, name), relation(data)].filter(Boolean).join(' · '),
      },
      { headerName: t('history.site'), width: 130, cellRenderer: SiteCell },
      { headerName: t('history.file'), field: 'file', flex: 1, minWidth: 120 },
      {
        headerName: t('history.state'),
        width: 168,
        cellRenderer: StateCell,
      },
      { headerName: t('history.rows'), field: 'total', width: 80, type: 'rightAligned', cellRenderer: RowsCell },
      { headerName: t('history.results'), width: 220, cellRenderer: ResultsCell },
    ],
    [t, operations, name, relation, open],
  );
}

function StartCell({ data, open }: Cell & Pick<Props, 'open'>) {
  const { dateTime } = useFormats();
  if (!data) return null;
  return (
    <button type="button" tabIndex={-1} className={styles.open} onClick={() => open(data.id)} data-testid={`open-${data.id}`}>
      {dateTime(data.started)}
    </button>
  );
}

function SiteCell({ data }: Cell) {
  return data ? <SiteLabel name={data.site} /> : null;
}

type ShownState = ReturnType<typeof shownState<SubmissionState>>;

/** States with a person's next step stand out, finished ones don't. */
const STATE_MARKS: Record<ShownState, { tone: Tone; sign: string }> = {
  preparing: { tone: 'active', sign: '◌' },
  running: { tone: 'active', sign: '▶' },
  paused: { tone: 'warning', sign: '❚❚' },
  stopped: { tone: 'quiet', sign: '■' },
  interrupted: { tone: 'warning', sign: '!' },
  finished: { tone: 'quiet', sign: '✓' },
  approval: { tone: 'warning', sign: '?' },
  declined: { tone: 'bad', sign: '✕' },
};

function StateCell({ data }: Cell) {
  const { t } = useTranslation();
  if (!data) return null;
  const state = shownState(data.state, data.approval);
  const text = [t(`submission.states.${state}`), ...(data.plantGone ? [t('history.plantGone')] : [])].join(', ');
  return (
    <StatusPill tone={data.plantGone ? 'quiet' : STATE_MARKS[state].tone} sign={STATE_MARKS[state].sign}>
      {text}
    </StatusPill>
  );
}

function RowsCell({ data }: Cell) {
  const { number } = useFormats();
  return data ? <span className="number">{number(data.total)}</span> : null;
}

function ResultsCell({ data }: Cell) {
  return data ? <ResultCounts counts={data.counts} /> : null;
}

function isEnter({ event }: Pick<CellKeyDownEvent, 'event'>): boolean {
  return event instanceof KeyboardEvent && event.key === 'Enter';
}
