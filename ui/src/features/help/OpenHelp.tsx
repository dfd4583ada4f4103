import { ActionIcon, CloseButton, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconList, IconSearch, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { usePageKeys } from '@/components/page/pageKeys';
import { HelpList } from './HelpList';
import { HelpMatches } from './HelpMatches';
import { useHelp } from './HelpProvider';
import { HelpText } from './HelpText';
import styles from './help.module.css';

/** The help as it stands open; Escape closes it. */
export function OpenHelp({ page }: { page: string | null }) {
  const { t } = useTranslation();
  const { open, close } = useHelp();
  const [query, setQuery] = useState('');
  const [searched] = useDebouncedValue(query.trim(), 150);
  const show = (next: string | null) => {
    setQuery('');
    open(next);
  };
  usePageKeys((event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    if (query === '') close();
    else setQuery('');
  });
  return (
    <aside className={styles.panel} aria-label={t('help.title')} data-testid="help">
      <header className={styles.head}>
        <h2>{t('help.title')}</h2>
        <ActionIcon
          variant="subtle"
          color="petrol"
          onClick={() => show(null)}
          disabled={page === null && query === ''}
          aria-label={t('help.all')}
          title={t('help.all')}
          data-testid="help-all"
        >
          <IconList size={16} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="subtle" color="petrol" onClick={close} aria-label={t('help.close')} title={t('help.close')} data-testid="help-close">
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </header>
      <TextInput
        className={styles.search}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={query !== '' && <CloseButton size="sm" onClick={() => setQuery('')} aria-label={t('help.clear')} />}
        placeholder={t('help.search')}
        aria-label={t('help.search')}
        data-testid="help-search"
      />
      <div key={page} className={styles.body} tabIndex={0}>
        {searched !== '' ? <HelpMatches query={searched} show={show} /> : page === null ? <HelpList show={show} /> : <HelpText page={page} show={show} />}
      </div>
    </aside>
  );
}
