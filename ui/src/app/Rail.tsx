import { Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconBuildingFactory2, IconFileImport, IconHistory, IconInbox, IconListTree, IconPlugConnected, IconSettings, IconTable } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';

import { type Page, pages, useNavigation } from '@/base/navigation';
import { useFaultsOn } from '@/features/plant';
import styles from './shell.module.css';

const PAGE_ICONS: Record<Page, ComponentType<{ size: number; stroke: number; 'aria-hidden': boolean }>> = {
  import: IconFileImport,
  browse: IconTable,
  events: IconInbox,
  templates: IconListTree,
  integrations: IconPlugConnected,
  history: IconHistory,
  plant: IconBuildingFactory2,
  settings: IconSettings,
};

/** The navigation rail: icons, with labels if there is room. */
export function Rail() {
  const { t } = useTranslation();
  const { place, go } = useNavigation();
  const faults = useFaultsOn();
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
        const Icon = PAGE_ICONS[page];
        const marked = page === 'plant' && faults > 0;
        const label = marked ? `${t(`pages.${page}`)}, ${t('plant.faultsOn', { count: faults })}` : t(`pages.${page}`);
        return (
          <Tooltip key={page} label={label} position="right" disabled={wide && !marked}>
            <UnstyledButton
              className={styles.entry}
              aria-label={label}
              aria-current={place.page === page ? 'page' : undefined}
              onClick={() => go({ page })}
              data-testid={`nav-${page}`}
            >
              <Icon size={20} stroke={1.6} aria-hidden />
              <span className={styles.name}>{t(`pages.${page}`)}</span>
              {marked && (
                <span className={styles.alarm} aria-hidden data-testid="nav-faults">
                  ▲
                </span>
              )}
            </UnstyledButton>
          </Tooltip>
        );
      })}
    </nav>
  );
}
