import { Button, Menu, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from '@tanstack/react-query';
import { IconChevronDown, IconSearch } from '@tabler/icons-react';

import { useAppState } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { useFormats } from '@/base/useFormats';
import { DayInput } from '@/components/controls/DayInput';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { EmptyState } from '@/components/page/EmptyState';
import { PageFrame } from '@/components/page/PageFrame';
import { commands, events, type Problem } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';

import { HistoryGrid } from './HistoryGrid';
import { type HistoryFilter, type HistoryRead, NO_FILTER, SUBMISSION_STATES, toQuery, toQueryText } from './historyFilter';
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

type FilterLineProps = { filter: HistoryFilter; change: (some: Partial<HistoryFilter>) => void; clear: () => void };

/** Filters submissions by text, site, state and date. */
function FilterLine({ filter, change, clear }: FilterLineProps) {
  const { t } = useTranslation();
  const { data } = useAppState();
  const siteName = useSiteName();
  const selectableStates = [...SUBMISSION_STATES, 'unconfirmed' as const];
  return (
    <div className={styles.filters} role="search">
      <TextInput
        className={styles.find}
        size="xs"
        aria-label={t('history.find')}
        placeholder={t('history.find')}
        leftSection={<IconSearch size={14} aria-hidden />}
        value={filter.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
        data-testid="history-find"
      />
      <Select
        size="xs"
        w={140}
        aria-label={t('history.site')}
        placeholder={t('history.anySite')}
        data={(data?.sites ?? []).map(({ site }) => ({ value: site.name, label: siteName(site.name) }))}
        value={filter.site}
        onChange={(site) => change({ site })}
        clearable
        data-testid="history-site"
      />
      <Select
        size="xs"
        w={140}
        aria-label={t('history.state')}
        placeholder={t('history.anyState')}
        data={selectableStates.map((state) => ({
          value: state,
          label: state === 'unconfirmed' ? t('history.unconfirmed') : t(`submission.states.${state}`),
        }))}
        value={filter.state}
        onChange={(state) => change({ state: selectableStates.find((one) => one === state) ?? null })}
        clearable
        data-testid="history-state"
      />
      <span className={styles.day}>
        <span aria-hidden>{t('history.from')}</span>
        <DayInput size="xs" w={130} aria-label={t('history.from')} day={filter.from} change={(from) => change({ from })} testId="history-from" />
      </span>
      <span className={styles.day}>
        <span aria-hidden>{t('history.to')}</span>
        <DayInput size="xs" w={130} aria-label={t('history.to')} day={filter.to} change={(to) => change({ to })} testId="history-to" />
      </span>
      {filter !== NO_FILTER && (
        <Button size="xs" variant="subtle" onClick={clear} data-testid="history-clear">
          {t('history.clear')}
        </Button>
      )}
    </div>
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
  const [debouncedFilter] = useDebouncedValue(filter, SEARCH_DELAY);
  const [read, setRead] = useState<HistoryRead | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const query = toQuery(debouncedFilter);
  // The total is ignored if it belongs to an earlier query.
  const total = read && read.queryText === toQueryText(query) ? read.total : null;
  const isEmpty = total === 0 && debouncedFilter === NO_FILTER;
  useEffect(() => {
    // The list refreshes itself, but it is hidden while there are no submissions.
    if (isEmpty) return listen(events.teamSubmissionChanged, () => setRead(null));
    return undefined;
  }, [isEmpty]);
  if (isEmpty) {
    return (
      <PageFrame title={t('history.title')}>
        <EmptyState picture="history" text={t('history.empty')} action={<Button onClick={() => go({ page: 'import' })}>{t('history.toImport')}</Button>} />
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
      isFullWidth
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
