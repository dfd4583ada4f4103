import { Button, Checkbox } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { commands } from '@/ipc/bindings';
import styles from './common/settings.module.css';

/** A file for whoever helps: everything about Takt, and every value as a shape. */
export function SupportBundle() {
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
