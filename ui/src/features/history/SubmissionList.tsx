import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { type Problem, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { FilterLine } from './FilterLine';
import { HandoverMenu } from './HandoverMenu';
import { HistoryGrid } from './HistoryGrid';
import { type HistoryRead, type HistoryFilter, asQuery, asText, everything } from './historyFilter';
import styles from './history.module.css';

/** Longer than the pause between two keys. */
const PAUSE = 250;

/** Every submission, newest first, found by what a person remembers of it. */
export function SubmissionList() {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { go } = useNavigation();
  const [filter, setFilter] = useState<HistoryFilter>(everything);
  const [settled] = useDebouncedValue(filter, PAUSE);
  const [read, setRead] = useState<HistoryRead | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const query = asQuery(settled);
  // What was read for another question says nothing about this one.
  const total = read && read.queryText === asText(query) ? read.total : null;
  const isEmpty = total === 0 && settled === everything;
  useEffect(() => {
    // Until somebody has sent something there is no list that would see it.
    if (isEmpty) return listen(events.teamSubmissionChanged, () => setRead(null));
    return undefined;
  }, [isEmpty]);
  if (isEmpty) {
    return (
      <PageFrame title={t('history.title')}>
        <div className={styles.empty}>
          <p>{t('history.empty')}</p>
          <Button onClick={() => go({ page: 'import' })}>{t('history.toImport')}</Button>
        </div>
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={t('history.title')}
      action={<HandoverMenu />}
      filter={<FilterLine filter={filter} change={(some) => setFilter((now) => ({ ...now, ...some }))} clear={() => setFilter(everything)} />}
      status={
        total !== null && (
          <span className="number" aria-live="polite" data-testid="history-count">
            {total === 0 ? t('history.nothingFits') : t('history.count', { count: total, shown: number(total) })}
          </span>
        )
      }
      edge
    >
      {problem && <ProblemNote problem={problem} />}
      <HistoryGrid
        query={query}
        open={(id) => go({ page: 'history', submission: id })}
        onRead={setRead}
        onProblem={setProblem}
      />
    </PageFrame>
  );
}
