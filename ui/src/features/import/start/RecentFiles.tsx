import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { useSiteName } from '@/components/marks/SiteName';
import { useImport } from '@/features/import-session';
import type { RecentFileView } from '@/ipc/bindings';
import styles from './start.module.css';

const mostShown = 8;

/** Files that were opened before, each with what became of it. */
export function RecentFiles({ files }: { files: readonly RecentFileView[] }) {
  const { t } = useTranslation();
  const { openRecent, busy } = useImport();
  const words = useFileWords();
  if (files.length === 0) return null;
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">{t('home.recent')}</h2>
      <ul className={styles.files}>
        {files.slice(0, mostShown).map((file) => (
          <li key={file.hash}>
            <UnstyledButton
              className={styles.file}
              onClick={() => void openRecent(file.hash)}
              disabled={busy || file.state === 'missing'}
              title={file.folder}
              data-testid="recent-file"
            >
              <span className={styles.name}>{file.file}</span>
              <span className={styles.state}>{words(file)}</span>
              <span className={styles.folder}>{file.folder}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What became of a file, in one line. */
function useFileWords(): (file: RecentFileView) => string {
  const { t } = useTranslation();
  const { recently, number } = useFormats();
  const site = useSiteName();
  return ({ state, sent, opened }) => {
    if (state === 'missing') return t('home.missing');
    const became = sent
      ? t('home.sent', {
          when: recently(sent.started),
          site: site(sent.site),
          accepted: number(sent.accepted),
          count: sent.total,
          total: number(sent.total),
        }) + (sent.unconfirmed > 0 ? `, ${t('headline.unconfirmed', { count: sent.unconfirmed, number: number(sent.unconfirmed) })}` : '')
      : t('home.opened', { when: recently(opened) });
    return state === 'changed' ? `${became} ${t('home.changed')}` : became;
  };
}
