import { useQuery } from '@tanstack/react-query';
import type { ColDef, GridOptions, ICellRendererParams, IDatasource } from 'ag-grid-community';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { CopyButton } from '@/components/controls/CopyButton';
import { Grid } from '@/components/grid/Grid';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { DetailPanel } from '@/components/page/DetailPanel';
import { PageFrame } from '@/components/page/PageFrame';
import { useSubmission } from '@/features/submission';
import { type Problem, type SentRequest, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { ResultCounts } from './ResultCounts';
import styles from './history.module.css';

type RequestDetailProps = { id: number; request: SentRequest; close: () => void };

/** A request's body and the beginning of its response. */
function RequestDetail({ id, request, close }: RequestDetailProps) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const { data, error } = useQuery({
    queryKey: queryKeys.requestBody(id, request.number),
    queryFn: () => commands.submissionRequestBody(id, request.number),
    staleTime: Infinity,
  });
  return (
    <DetailPanel title={t('history.requestTitle', { number: request.number })} close={close}>
      <dl className={styles.facts}>
        <dt>{t('history.when')}</dt>
        <dd className="number">{dateTime(request.started)}</dd>
        {request.logId && (
          <>
            <dt>{t('history.logId')}</dt>
            <dd>
              <code>{request.logId}</code> <CopyButton value={request.logId} label={t('problem.copyLogId')} />
            </dd>
          </>
        )}
      </dl>
      {error && <ProblemNote problem={toProblem(error)} />}
      {request.answer && (
        <section className={styles.text}>
          <h3>{t('history.answer')}</h3>
          <pre tabIndex={0} data-testid="request-answer">
            {formatJson(request.answer)}
          </pre>
        </section>
      )}
      {data && (
        <section className={styles.text}>
          <h3>
            <code>{data.method}</code> <code>{data.path}</code> <CopyButton value={data.body} label={t('history.copyBody')} />
          </h3>
          {!data.exact && <p className="muted small">{t('history.notExact')}</p>}
          {data.body.length < data.characters && <p className="muted small">{t('history.cut')}</p>}
          <pre tabIndex={0} data-testid="request-body">
            {formatJson(data.body)}
          </pre>
        </section>
      )}
    </DetailPanel>
  );
}

/** Formats JSON. Other or truncated text stays unchanged. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

type Props = { id: number; title: string; actions: ReactNode };
type Cell = ICellRendererParams<SentRequest>;

/** A submission's requests, newest first. The selected request is shown with its body and response. */
export function RequestsTab({ id, title, actions }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { submission } = useSubmission(id);
  const [total, setTotal] = useState<number | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [request, setRequest] = useState<SentRequest | null>(null);
  const requests = submission?.requests ?? 0;
  return (
    <PageFrame
      title={title}
      action={actions}
      status={total !== null && <span className="number">{t('history.requestCount', { count: total, shown: number(total) })}</span>}
      isFullWidth
    >
      {problem && <ProblemNote problem={problem} />}
      <div className={styles.split}>
        <RequestGrid id={id} refreshKey={requests} onRead={setTotal} onProblem={setProblem} onRequest={setRequest} />
        {request && <RequestDetail key={request.number} id={id} request={request} close={() => setRequest(null)} />}
      </div>
    </PageFrame>
  );
}

type GridProps = {
  id: number;
  /** Changes when the submission sends more requests, so that the list is refetched. */
  refreshKey: number;
  onRead: (total: number) => void;
  onProblem: (problem: Problem | null) => void;
  onRequest: (request: SentRequest | null) => void;
};

function RequestGrid({ id, refreshKey, onRead, onProblem, onRequest }: GridProps) {
  const { t } = useTranslation();
  const api = useRef<{ refreshInfiniteCache: () => void } | null>(null);
  const lastRefreshKey = useRef(refreshKey);
  useEffect(() => {
    if (lastRefreshKey.current !== refreshKey) api.current?.refreshInfiniteCache();
    lastRefreshKey.current = refreshKey;
  }, [refreshKey]);
  const columns = useMemo<ColDef<SentRequest>[]>(
    () => [
      { headerName: t('history.number'), field: 'number', width: 72, type: 'rightAligned' },
      { headerName: t('history.when'), width: 180, cellRenderer: StartCell },
      { headerName: t('history.class'), width: 150, valueGetter: ({ data }) => data && t(`history.classes.${data.class ?? 'sending'}`) },
      { headerName: t('history.status'), field: 'status', width: 80, type: 'rightAligned' },
      { headerName: t('history.took'), width: 96, type: 'rightAligned', cellRenderer: DurationCell },
      { headerName: t('history.rows'), field: 'rows', width: 80, type: 'rightAligned' },
      { headerName: t('history.results'), width: 200, cellRenderer: ResultsCell },
      { headerName: t('history.logId'), field: 'logId', flex: 1, minWidth: 140, cellClass: 'mono' },
    ],
    [t],
  );
  const datasource = useMemo<IDatasource>(
    () => ({
      getRows: ({ startRow, endRow, successCallback, failCallback }) => {
        commands.submissionRequests(id, startRow, endRow - startRow).then(
          (page) => {
            onProblem(null);
            onRead(page.total);
            successCallback(page.requests, page.total);
          },
          (cause: unknown) => {
            onProblem(toProblem(cause));
            failCallback();
          },
        );
      },
    }),
    [id, onRead, onProblem],
  );
  const options = useMemo<GridOptions<SentRequest>>(
    () => ({
      rowModelType: 'infinite',
      cacheBlockSize: 100,
      maxBlocksInCache: 20,
      onCellFocused: ({ rowIndex, api: grid }) => {
        onRequest(rowIndex === null ? null : (grid.getDisplayedRowAtIndex(rowIndex)?.data ?? null));
      },
    }),
    [onRequest],
  );
  return (
    <div className={styles.grid}>
      <Grid
        label={t('history.requests')}
        testId="grid-requests"
        columns={columns}
        options={{ ...options, datasource }}
        onReady={(ready) => {
          api.current = ready;
        }}
      />
    </div>
  );
}

function StartCell({ data }: Cell) {
  const { dateTime } = useFormats();
  return data ? <span className="number">{dateTime(data.started)}</span> : null;
}

function DurationCell({ data }: Cell) {
  const { t } = useTranslation();
  const { number } = useFormats();
  if (!data || data.milliseconds === null) return null;
  return <span className="number">{t('history.milliseconds', { count: number(data.milliseconds) })}</span>;
}

function ResultsCell({ data }: Cell) {
  return data ? <ResultCounts counts={data.counts} /> : null;
}
