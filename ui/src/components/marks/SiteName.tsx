import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import type { Site } from '@/ipc/bindings';
import styles from './site.module.css';

/** A site's name as people say it: the practice plant has a word in every language. */
export function useSiteName(): (name: string) => string {
  const { t } = useTranslation();
  return (name) => (name === 'practice' ? t('site.practice') : name);
}

/** A site by its name, with its colour; one that was removed since has its name alone. */
export function SiteLabel({ name }: { name: string }) {
  const { data } = useAppState();
  const siteName = useSiteName();
  const view = data?.sites.find(({ site }) => site.name === name);
  return view ? <SiteMark site={view.site} /> : <span>{siteName(name)}</span>;
}

/** How a site is to look: a copy to rehearse on is practice, whatever its name. */
export function siteLook(site: Site): Site['kind'] {
  return site.rehearsalOf ? 'practice' : site.kind;
}

export function SiteMark({ site }: { site: Site }) {
  const { t } = useTranslation();
  const name = useSiteName();
  return (
    <span className={styles.mark} data-kind={siteLook(site)}>
      {name(site.name)}
      {site.rehearsalOf && <span className={styles.copy}>{t('rehearsal.badge')}</span>}
    </span>
  );
}
