import { Button } from '@mantine/core';
import { Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '@/base/preferences';
import { useDelayed } from '@/base/useDelayed';
import { useFormats } from '@/base/useFormats';
import type { FocusedRow } from '@/base/values/cells';
import { useReportView } from '@/base/window/windowView';
import { OpenWindowButton } from '@/components/window/OpenWindowButton';
import { OperationCall } from '@/components/marks/OperationCall';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { EmptyState } from '@/components/page/EmptyState';
import { PageFrame } from '@/components/page/PageFrame';
import { Pictures, type Viewing, ViewSwitch } from '@/features/pictures';
import type { Arrangement, Operation } from '@/ipc/bindings';
import { RowDetail } from './detail/RowDetail';
import { ParameterLine } from './read/ParameterLine';
import { ReadStatus } from './read/ReadStatus';
import { useReadAll, useReadAllOnce } from './read/useReadAll';
import { type Parameters, useReadPage } from './read/useReadPage';
import { RowTable } from './table/RowTable';
import styles from './browse.module.css';

const DEFAULT_ARRANGEMENT: Arrangement = { sort: [], filters: [], find: '' };

type Props = {
  operation: Operation;
  /** The initial filters. */
  initialParameters?: Parameters | undefined;
  /** The initial search text. */
  initialFind?: string | undefined;
  /**
   * Whether a link opened the list with its own filters. Then stored column filters don't apply, and a search covers all pages.
   */
  isFromLink: boolean;
};

/** One read operation: its parameters as filters, its rows, and a row's detail. */
export function ListView({ operation, initialParameters, initialFind, isFromLink }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { preferences } = usePreferences();
  const page = useReadPage(operation, initialParameters);
  const all = useReadAll(operation, page.parameters);
  useReadAllOnce(all, isFromLink && initialFind !== undefined && (page.pages ?? 1) > 1);
  const [row, setRow] = useState<FocusedRow | null>(null);
  const viewing: Viewing = page.chart && operation.pictures.length > 0 ? 'picture' : 'table';
  const [arrangement, setArrangement] = useState(DEFAULT_ARRANGEMENT);
  const { parameters, storeChart } = page;
  const view = useMemo(() => ({ kind: 'list', operation: operation.id, parameters, find: arrangement.find }) as const, [operation.id, parameters, arrangement.find]);
  useReportView(page.isReady ? view : null);
  const problem = all.problem ?? page.problem;
  const allRows = all.set;
  const set = allRows?.id ?? page.set;
  const { discard } = all;
  const readPage = page.read;
  const read = useCallback(
    (next: Parameters) => {
      discard();
      setRow(null);
      readPage(next);
    },
    [discard, readPage],
  );
  const chooseView = useCallback((next: Viewing) => storeChart(next === 'picture'), [storeChart]);
  return (
    <PageFrame
      title={name(operation)}
      subtitle={preferences.technicalDetails && <OperationCall operation={operation} />}
      action={
        <>
          <ViewSwitch operation={operation} viewing={viewing} onChange={chooseView} />
          {operation.paged && (
            <Button
              variant="default"
              disabled={!page.hasRequired || all.running}
              onClick={() => void all.start()}
              data-testid="browse-all"
            >
              {t('browse.readAll')}
            </Button>
          )}
          <OpenWindowButton view={view} />
        </>
      }
      filter={
        <ParameterLine
          operation={operation}
          initialValues={page.isReady ? page.parameters : null}
          read={read}
          busy={useDelayed(page.busy) || all.running}
        />
      }
      status={<ReadStatus page={page} all={all} />}
      isFullWidth
    >
      <div className={styles.table}>
        {problem && (
          <div className={styles.problem}>
            <ProblemNote problem={problem} retry={page.problem ? page.refetch : all.canResume ? () => void all.resume() : undefined} />
          </div>
        )}
        {page.isRequested && !page.busy && !problem && page.total === 0 && Object.keys(page.parameters).length > 0 && (
          <p className={styles.hint} data-testid="browse-nothing">
            {t('browse.nothingFits')}
          </p>
        )}
        {page.problem && !allRows ? null : page.isRequested || !page.isReady ? (
          viewing === 'picture' && set !== null ? (
            <Suspense fallback={null}>
              <Pictures
                operation={operation}
                drawing={{ set, rows: allRows?.rows ?? page.count, arrangement }}
                readAll={allRows === null && (page.pages ?? 1) > 1 && !all.running ? () => void all.start() : null}
                showAll={() => setArrangement(DEFAULT_ARRANGEMENT)}
                open={(position) => setRow({ position, path: '' })}
              />
            </Suspense>
          ) : (
          <RowTable
            operation={operation}
            set={set}
            initialRows={allRows || page.rows.length < page.count ? null : page.rows}
            size={allRows?.rows ?? page.count}
            isComplete={allRows !== null || page.pages === 1}
            unknown={page.unknown}
            busy={page.busy}
            initialFind={initialFind}
            isFromLink={isFromLink}
            onRow={setRow}
            onArrangementChange={setArrangement}
          />
          )
        ) : (
          <EmptyState picture="list" text={t('browse.fillFirst')} />
        )}
      </div>
      {row && set !== null && <RowDetail operation={operation} set={set} at={row} close={() => setRow(null)} />}
    </PageFrame>
  );
}
