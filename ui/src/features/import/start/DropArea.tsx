import { Button } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { BlankMenu } from './BlankMenu';
import styles from './start.module.css';

/** Where a workbook comes in, and what happens with it then. */
export function DropArea() {
  const { t } = useTranslation();
  const { pick, busy } = useImport();
  return (
    <section className={styles.drop} aria-label={t('import.drop')} aria-busy={busy}>
      <IconFileSpreadsheet size={36} stroke={1.2} aria-hidden />
      <p className={styles.lead}>{t('import.drop')}</p>
      <p className="muted small">{t('import.dropThen')}</p>
      <div className={styles.ways}>
        <Button size="md" onClick={() => void pick()} disabled={busy} data-testid="import-open" data-tour="open">
          {t('import.open')}
        </Button>
        <BlankMenu />
      </div>
      <p className="muted small">{t('import.kinds')}</p>
    </section>
  );
}
