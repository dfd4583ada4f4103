import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { Dialog } from '@/components/page/Dialog';
import { matchesAll } from '@/base/values/searchText';
import styles from './common/settings.module.css';

/** The licenses of third-party software. */
export function Licenses() {
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
  const shown = (data ?? []).filter((one) => matchesAll(`${one.name} ${one.license}`, query));
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
        {t('settings.licensesCount', { count: shown.length, shown: shown.length })}
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
            {shown.map((one) => (
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
