import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showWarningNotice } from '@/components/notices/warningNotice';
import { type ReleaseView, commands } from '@/ipc/bindings';
import styles from './update.module.css';

/** The newer version: since when, what is new in the channel's own words, and where to get it. */
export function NewVersion({ release }: { release: ReleaseView }) {
  const { t } = useTranslation();
  const { serviceTime } = useFormats();
  const open = useMutation({
    mutationFn: () => commands.updateDownload(),
    onSuccess: (opened) => {
      if (!opened) showWarningNotice(t('update.noBrowser', { address: release.download ?? '' }));
    },
    onError: showProblemNotice,
  });
  const { version, date, notes, download } = release;
  const { data: installable } = useQuery({ queryKey: queryKeys.updateInstallable(version), queryFn: () => commands.updateInstallable() });
  const install = useMutation({ mutationFn: () => commands.updateInstall(), onError: showProblemNotice });
  return (
    <div className={styles.newer}>
      <p data-testid="update-newer">
        <strong>{t('update.newer', { version })}</strong>
        {date !== null && <span className="muted"> {serviceTime(date)}</span>}
      </p>
      {notes !== null && (
        <pre className={styles.notes} role="region" tabIndex={0} aria-label={t('update.notes')} data-testid="update-notes">
          {notes}
        </pre>
      )}
      <div className={styles.actions}>
        {installable === true && (
          <Button onClick={() => install.mutate()} disabled={install.isPending} data-testid="update-install">
            {install.isPending ? t('update.installing') : t('update.install')}
          </Button>
        )}
        {download !== null && (
          <Button
            variant={installable === true ? 'default' : 'filled'}
            onClick={() => open.mutate()}
            disabled={open.isPending}
            data-testid="update-download"
          >
            {t('update.download')}
          </Button>
        )}
      </div>
      {installable === true && <p className="muted small">{t('update.installWhat')}</p>}
    </div>
  );
}
