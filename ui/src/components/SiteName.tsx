import { useTranslation } from 'react-i18next';

import type { Site } from '../ipc/bindings';
import styles from './site.module.css';

/** A site's name as people say it: the practice plant has a word in every language. */
export function useSiteName(): (name: string) => string {
  const { t } = useTranslation();
  return (name) => (name === 'practice' ? t('site.practice') : name);
}

export function SiteMark({ site }: { site: Site }) {
  const name = useSiteName();
  return (
    <span className={styles.mark} data-kind={site.kind}>
      {name(site.name)}
    </span>
  );
}
