import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { matchesAll } from '@/base/values/searchText';
import styles from './common/settings.module.css';

/** Sections of the settings, narrowed to those in which all that was typed is written. */
export function SettingsSearch({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const sections = [...(place.current?.children ?? [])].filter((one) => one instanceof HTMLElement);
    for (const section of sections) section.hidden = !matchesAll(textOf(section), query);
    setEmpty(sections.every((section) => section.hidden));
  }, [query]);
  return (
    <>
      <TextInput
        className={styles.search}
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={query !== '' && <CloseButton size="sm" onClick={() => setQuery('')} aria-label={t('settings.clearSearch')} />}
        placeholder={t('settings.search')}
        aria-label={t('settings.search')}
        data-testid="settings-search"
      />
      <div ref={place} className={styles.page}>
        {children}
      </div>
      {isEmpty && (
        <p role="status" data-testid="settings-nothing">
          {t('settings.noSetting', { query })}
        </p>
      )}
    </>
  );
}

/** What a person reads in a section, and what its fields hold. */
function textOf(section: HTMLElement): string {
  const fields = [...section.querySelectorAll<HTMLInputElement>('input, textarea')];
  return [section.textContent, ...fields.map((field) => `${field.value} ${field.placeholder}`)].join(' ');
}
