import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { SupportBundle } from './SupportBundle';
import styles from './settings.module.css';

/** Which Takt this is. */
export function About() {
  const { t } = useTranslation();
  const { data } = useAppState();
  if (!data) return null;
  return (
    <section className={styles.section} aria-labelledby="about">
      <h2 id="about">{t('settings.about')}</h2>
      <p className="number" data-testid="version">
        {t('settings.version', { version: data.version })}
      </p>
      <SupportBundle />
    </section>
  );
}
