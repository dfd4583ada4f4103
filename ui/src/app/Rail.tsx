import { Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconFileImport, IconHistory, IconListTree, IconSettings, IconTable } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';

import { type Page, pages, useNavigation } from './navigation';
import styles from './shell.module.css';

const icons: Record<Page, ComponentType<{ size: number; stroke: number; 'aria-hidden': boolean }>> = {
  import: IconFileImport,
  browse: IconTable,
  templates: IconListTree,
  history: IconHistory,
  settings: IconSettings,
};

/** The pages: icons, with their names where there is room. */
export function Rail() {
  const { t } = useTranslation();
  const { place, go } = useNavigation();
  const wide = useMediaQuery('(min-width: 1320px)');
  return (
    <nav className={styles.rail} aria-label={t('shell.pages')}>
      <span className={styles.brand} aria-hidden>
        <svg width="20" height="20" viewBox="0 0 20 20" fill="currentColor">
          <rect x="1" y="8" width="4" height="11" rx="1" />
          <rect x="8" y="1" width="4" height="18" rx="1" />
          <rect x="15" y="12" width="4" height="7" rx="1" />
        </svg>
      </span>
      {pages.map((page) => {
        const Icon = icons[page];
        return (
          <Tooltip key={page} label={t(`pages.${page}`)} position="right" disabled={wide}>
            <UnstyledButton
              className={styles.entry}
              aria-label={t(`pages.${page}`)}
              aria-current={place.page === page ? 'page' : undefined}
              onClick={() => go({ page })}
              data-testid={`nav-${page}`}
            >
              <Icon size={20} stroke={1.6} aria-hidden />
              <span className={styles.name}>{t(`pages.${page}`)}</span>
            </UnstyledButton>
          </Tooltip>
        );
      })}
    </nav>
  );
}
