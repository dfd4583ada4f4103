import { useIsFetching, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, Checkbox, TextInput } from '@mantine/core';

import { useAppState } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { matchesAll } from '@/base/values/searchText';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { Dialog } from '@/components/page/Dialog';
import { commands } from '@/ipc/bindings';

import styles from './common/settings.module.css';
import { Updates } from './update/Updates';

/** Saves a support file with diagnostics. Instead of values, the file has only their shapes. */
function SupportBundle() {
  const { t } = useTranslation();
  const [addresses, setAddresses] = useState(false);
  const save = useMutation({
    mutationFn: () => commands.bundleSave([], addresses, t('bundle.saveTitle'), t('bundle.saveName')),
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
  return (
    <div className={styles.bundle}>
      <p className="muted">{t('bundle.explain')}</p>
      <Checkbox
        label={t('bundle.addresses')}
        checked={addresses}
        onChange={(event) => setAddresses(event.currentTarget.checked)}
        data-testid="bundle-addresses"
      />
      <Button variant="default" onClick={() => save.mutate()} disabled={save.isPending} data-testid="bundle">
        {t('bundle.open')}
      </Button>
    </div>
  );
}

/** The licenses of third-party software. */
function Licenses() {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)} data-testid="licenses">
        {t('settings.licenses')}
      </Button>
      {isOpen && <LicensesDialog close={() => setOpen(false)} />}
    </>
  );
}

function LicensesDialog({ close }: { close: () => void }) {
  const { t } = useTranslation();
  const [query, setQuery] = useState('');
  // Loaded on demand, because the list is long.
  const { data } = useQuery({ queryKey: queryKeys.licenses, queryFn: async () => (await import('@docs/licenses.json')).default, staleTime: Infinity });
  const matches = (data ?? []).filter((one) => matchesAll(`${one.name} ${one.license}`, query));
  return (
    <Dialog title={t('settings.licenses')} close={close} wide>
      <p>{t('settings.licensesAbout')}</p>
      <TextInput
        value={query}
        onChange={(event) => setQuery(event.currentTarget.value)}
        placeholder={t('settings.licensesSearch')}
        aria-label={t('settings.licensesSearch')}
        data-testid="licenses-search"
      />
      <p className="muted small" role="status" data-testid="licenses-count">
        {t('settings.licensesCount', { count: matches.length, shown: matches.length })}
      </p>
      <div className={styles.licenses} tabIndex={0} role="region" aria-label={t('settings.licenses')}>
        <table aria-label={t('settings.licenses')}>
          <thead>
            <tr>
              <th scope="col">{t('settings.licenseName')}</th>
              <th scope="col">{t('settings.licenseVersion')}</th>
              <th scope="col">{t('settings.license')}</th>
            </tr>
          </thead>
          <tbody>
            {matches.map((one) => (
              <tr key={`${one.name} ${one.version}`}>
                <td>{one.name}</td>
                <td className="number">{one.version}</td>
                <td>{one.license}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}

/** Shows Takt's version, updates, licenses and the support file. */
export function About() {
  const { t } = useTranslation();
  const { data } = useAppState();
  const section = useScrollOnOpen();
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

/** Scrolls to this section if a link opened it. While content loads, it scrolls again, unless you interact. */
function useScrollOnOpen() {
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
