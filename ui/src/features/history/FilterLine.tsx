import { Button, Select, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { useSiteName } from '@/components/marks/SiteName';
import { type HistoryFilter, NO_FILTER, states } from './historyFilter';
import styles from './history.module.css';

type Props = { filter: HistoryFilter; change: (some: Partial<HistoryFilter>) => void; clear: () => void };

/** The filters of the submission list. */
export function FilterLine({ filter: wanted, change, clear }: Props) {
  const { t } = useTranslation();
  const { data } = useAppState();
  const siteName = useSiteName();
  const shown = [...states, 'unconfirmed' as const];
  return (
    <div className={styles.filters} role="search">
      <TextInput
        className={styles.find}
        size="xs"
        aria-label={t('history.find')}
        placeholder={t('history.find')}
        leftSection={<IconSearch size={14} aria-hidden />}
        value={wanted.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
        data-testid="history-find"
      />
      <Select
        size="xs"
        w={140}
        aria-label={t('history.site')}
        placeholder={t('history.anySite')}
        data={(data?.sites ?? []).map(({ site }) => ({ value: site.name, label: siteName(site.name) }))}
        value={wanted.site}
        onChange={(site) => change({ site })}
        clearable
        data-testid="history-site"
      />
      <Select
        size="xs"
        w={140}
        aria-label={t('history.state')}
        placeholder={t('history.anyState')}
        data={shown.map((state) => ({
          value: state,
          label: state === 'unconfirmed' ? t('history.unconfirmed') : t(`submission.states.${state}`),
        }))}
        value={wanted.state}
        onChange={(state) => change({ state: shown.find((one) => one === state) ?? null })}
        clearable
        data-testid="history-state"
      />
      <label className={styles.day}>
        <span>{t('history.from')}</span>
        <input type="date" value={wanted.from} onChange={(event) => change({ from: event.currentTarget.value })} data-testid="history-from" />
      </label>
      <label className={styles.day}>
        <span>{t('history.to')}</span>
        <input type="date" value={wanted.to} onChange={(event) => change({ to: event.currentTarget.value })} data-testid="history-to" />
      </label>
      {wanted !== NO_FILTER && (
        <Button size="xs" variant="subtle" onClick={clear} data-testid="history-clear">
          {t('history.clear')}
        </Button>
      )}
    </div>
  );
}
