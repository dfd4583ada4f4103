import { Button, Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import styles from './send.module.css';

type Props = { errors: number; chosen: boolean; choose: (chosen: boolean) => void };

/** Rows in error are only left out when a person says so; nothing where there are none. */
export function ErrorRowsChoice({ errors, chosen, choose }: Props) {
  const { t } = useTranslation();
  const { goStep } = useImport();
  if (errors === 0) return null;
  return (
    <div className={styles.errors}>
      <Checkbox
        checked={chosen}
        onChange={(event) => choose(event.currentTarget.checked)}
        label={t('send.skipErrors', { count: errors })}
        size="sm"
        data-testid="skip-errors"
      />
      <Button variant="subtle" size="xs" onClick={() => goStep('check')} data-testid="look-at-errors">
        {t('send.lookAtErrors')}
      </Button>
    </div>
  );
}
