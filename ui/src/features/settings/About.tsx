import { useIsFetching } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { Licenses } from './Licenses';
import { SupportBundle } from './SupportBundle';
import styles from './common/settings.module.css';
import { Updates } from './update/Updates';

/** Which Takt this is, and whether there is a newer one. */
export function About() {
  const { t } = useTranslation();
  const { data } = useAppState();
  const section = useShownFirst();
  if (!data) return null;
  return (
    <section ref={section} className={styles.section} aria-labelledby="about">
      <h2 id="about">{t('settings.about')}</h2>
      <p className="number" data-testid="version">
        {t('settings.version', { version: data.version })}
      </p>
      <p data-testid="telemetry">{t('settings.telemetry')}</p>
      <Updates />
      <div>
        <Licenses />
      </div>
      <SupportBundle />
    </section>
  );
}

/** Scrolls to a section that the settings were opened for, also when what stands above it has come; until a person does something. */
function useShownFirst() {
  const section = useRef<HTMLElement>(null);
  const { place } = useNavigation();
  const [isWanted, setWanted] = useState(place.page === 'settings' && place.about === true);
  const isLoading = useIsFetching() > 0;
  useEffect(() => {
    if (isWanted && !isLoading) section.current?.scrollIntoView();
  }, [isWanted, isLoading]);
  useEffect(() => {
    const end = () => setWanted(false);
    const acts = ['wheel', 'pointerdown', 'keydown'] as const;
    for (const act of acts) window.addEventListener(act, end);
    return () => {
      for (const act of acts) window.removeEventListener(act, end);
    };
  }, []);
  return section;
}
