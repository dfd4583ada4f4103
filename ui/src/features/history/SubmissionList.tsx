import { Button, Menu } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from '@tanstack/react-query';
import { IconChevronDown } from '@tabler/icons-react';

import { useNavigation } from '@/base/navigation';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { commands, events, type Problem } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';

import { FilterLine } from './FilterLine';
import { HistoryGrid } from './HistoryGrid';
import { toQuery, toQueryText, NO_FILTER, type HistoryFilter, type HistoryRead } from './historyFilter';
import styles from './history.module.css';

/** Periods of the handover sheet in hours: shift, long shift, day, week. */
const HANDOVER_HOURS = [8, 12, 24, 168] as const;

/** Exports the handover sheet for the next shift: submissions, their changes, and open issues. */
function HandoverMenu() {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: (hours: number) => {
      const since = new Date(Date.now() - hours * 3_600_000).toISOString();
      return commands.handoverSave(since, t('handover.saveTitle'), t('handover.saveName'));
    },
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          disabled={save.isPending}
          data-testid="handover"
        >
          {t('handover.open')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {HANDOVER_HOURS.map((hours) => (
          <Menu.Item key={hours} onClick={() => save.mutate(hours)} data-testid={`handover-${hours}`}>
            {t(`handover.last.${hours}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Debounce for the search, in milliseconds. */
const SEARCH_DELAY = 250;

/** All submissions, newest first, with filters. */
export function SubmissionList() {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { go } = useNavigation();
  const [filter, setFilter] = useState<HistoryFilter>(NO_FILTER);
  const [settled] = useDebouncedValue(filter, SEARCH_DELAY);
  const [read, setRead] = useState<HistoryRead | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const query = toQuery(settled);
  // The total of another query doesn't apply.
  const total = read && read.queryText === toQueryText(query) ? read.total : null;
  const isEmpty = total === 0 && settled === NO_FILTER;
  useEffect(() => {
    // Without a submission there is no list that would be refreshed.
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
      filter={<FilterLine filter={filter} change={(some) => setFilter((now) => ({ ...now, ...some }))} clear={() => setFilter(NO_FILTER)} />}
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
