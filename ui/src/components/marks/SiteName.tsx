import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import type { Site } from '@/ipc/bindings';
import styles from './site.module.css';

/** Returns a function that returns a site's display name. The practice plant's name is translated. */
export function useSiteName(): (name: string) => string {
  const { t } = useTranslation();
  return (name) => (name === 'practice' ? t('site.practice') : name);
}

/** A site's name with its color. A removed site has no color. */
export function SiteLabel({ name }: { name: string }) {
  const { data } = useAppState();
  const siteName = useSiteName();
  const view = data?.sites.find(({ site }) => site.name === name);
  return view ? <SiteMark site={view.site} /> : <span>{siteName(name)}</span>;
}

/** Returns the kind that a site is shown as. A rehearsal copy is always shown as practice. */
export function displayedSiteKind(site: Site): Site['kind'] {
  return site.rehearsalOf ? 'practice' : site.kind;
}

export function SiteMark({ site }: { site: Site }) {
  const { t } = useTranslation();
  const name = useSiteName();
  return (
    <span className={styles.mark} data-kind={displayedSiteKind(site)}>
      {name(site.name)}
      {site.rehearsalOf && <span className={styles.copy}>{t('rehearsal.badge')}</span>}
    </span>
  );
}
