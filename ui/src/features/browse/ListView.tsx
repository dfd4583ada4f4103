import { Button } from '@mantine/core';
import { Suspense, useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '@/base/preferences';
import { useDelayed } from '@/base/useDelayed';
import { useFormats } from '@/base/useFormats';
import type { RowPlace } from '@/base/values/cells';
import { useShownView } from '@/base/window/windowView';
import { OpenWindowButton } from '@/components/window/OpenWindowButton';
import { OperationCall } from '@/components/marks/OperationCall';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { Pictures, type Viewing, ViewSwitch } from '@/features/pictures';
import type { Arrangement, Operation } from '@/ipc/bindings';
import { RowDetail } from './detail/RowDetail';
import { ParameterLine } from './read/ParameterLine';
import { ReadStatus } from './read/ReadStatus';
import { useReadAll, useReadWhole } from './read/useReadAll';
import { type Parameters, useReadPage } from './read/useReadPage';
import { RowTable } from './table/RowTable';
import styles from './browse.module.css';

const DEFAULT_ARRANGEMENT: Arrangement = { sort: [], filters: [], find: '' };

type Props = {
  operation: Operation;
  /** The initial filters. */
  given?: Parameters | undefined;
  /** The initial search text. */
  find?: string | undefined;
  /**
   * Whether a link opened the list with its own filters. Then stored column filters don't apply, and a search covers all pages.
   */
  fresh: boolean;
};

/** One read operation: its parameters as filters, its rows, and a row's detail. */
export function ListView({ operation, given, find, fresh }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { preferences } = usePreferences();
  const page = useReadPage(operation, given);
  const all = useReadAll(operation, page.parameters);
  useReadWhole(all, fresh && find !== undefined && (page.pages ?? 1) > 1);
  const [row, setRow] = useState<RowPlace | null>(null);
  const viewing: Viewing = page.chart && operation.pictures.length > 0 ? 'picture' : 'table';
  const [arrangement, setArrangement] = useState(DEFAULT_ARRANGEMENT);
  const { parameters, look } = page;
  const view = useMemo(() => ({ kind: 'list', operation: operation.id, parameters, find: arrangement.find }) as const, [operation.id, parameters, arrangement.find]);
  useShownView(page.isReady ? view : null);
  const problem = all.problem ?? page.problem;
  const whole = all.set;
  const set = whole?.id ?? page.set;
  const { forget } = all;
  const readAnew = page.read;
  const read = useCallback(
    (next: Parameters) => {
      forget();
      setRow(null);
      readAnew(next);
    },
    [forget, readAnew],
  );
  const choose = useCallback((next: Viewing) => look(next === 'picture'), [look]);
  return (
    <PageFrame
      title={name(operation)}
      aside={preferences.technicalDetails && <OperationCall operation={operation} />}
      action={
        <>
          <ViewSwitch operation={operation} viewing={viewing} view={choose} />
          {operation.paged && (
            <Button
              variant="default"
              disabled={!page.complete || all.running}
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
          given={page.isReady ? page.parameters : null}
          read={read}
          busy={useDelayed(page.busy) || all.running}
        />
      }
      status={<ReadStatus page={page} all={all} />}
      edge
    >
      <div className={styles.table}>
        {problem && (
          <div className={styles.problem}>
            <ProblemNote problem={problem} again={page.problem ? page.again : all.open ? () => void all.resume() : undefined} />
          </div>
        )}
        {page.asked && !page.busy && !problem && page.total === 0 && Object.keys(page.parameters).length > 0 && (
          <p className={styles.hint} data-testid="browse-nothing">
            {t('browse.nothingFits')}
          </p>
        )}
        {page.problem && !whole ? null : page.asked || !page.isReady ? (
          viewing === 'picture' && set !== null ? (
            <Suspense fallback={null}>
              <Pictures
                operation={operation}
                drawing={{ set, rows: whole?.rows ?? page.count, arrangement }}
                readAll={whole === null && (page.pages ?? 1) > 1 && !all.running ? () => void all.start() : null}
                showAll={() => setArrangement(DEFAULT_ARRANGEMENT)}
                open={(position) => setRow({ position, path: '' })}
              />
            </Suspense>
          ) : (
          <RowTable
            operation={operation}
            set={set}
            first={whole || page.rows.length < page.count ? null : page.rows}
            size={whole?.rows ?? page.count}
            whole={whole !== null || page.pages === 1}
            unknown={page.unknown}
            busy={page.busy}
            find={find}
            fresh={fresh}
            onRow={setRow}
            onArranged={setArrangement}
          />
          )
        ) : (
          <p className={styles.hint}>{t('browse.fillFirst')}</p>
        )}
      </div>
      {row && set !== null && <RowDetail operation={operation} set={set} at={row} close={() => setRow(null)} />}
    </PageFrame>
  );
}
