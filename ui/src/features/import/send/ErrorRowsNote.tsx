import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import styles from './send.module.css';

/** Says which rows stay behind, with the way to them. The button that sends says it too: pressing it is the decision. */
export function ErrorRowsNote({ errors }: { errors: number }) {
  const { t } = useTranslation();
  const { goStep } = useImport();
  if (errors === 0) return null;
  return (
    <div className={styles.errors} data-testid="errors-stay">
      <span>{t('send.errorsStay', { count: errors })}</span>
      <Button variant="subtle" size="xs" onClick={() => goStep('check')} data-testid="look-at-errors">
        {t('send.lookAtErrors')}
      </Button>
    </div>
  );
}
