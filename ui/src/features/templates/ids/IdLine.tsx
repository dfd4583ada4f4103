import { Button, TextInput } from '@mantine/core';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { IdMenu } from './IdMenu';
import styles from '../common/templates.module.css';

type Props = { site: string; read: (ids: string) => void; busy: boolean; disabled: boolean };

/** Input for template IDs: single ones, ranges, or known lists. */
export function IdLine({ site, read, busy, disabled }: Props) {
  const { t } = useTranslation();
  const [ids, setIds] = useState('');
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (ids.trim()) read(ids);
  };
  return (
    <form className={styles.input} onSubmit={submit}>
      <TextInput
        label={t('templates.ids')}
        placeholder={t('templates.idsExample')}
        value={ids}
        onChange={(event) => setIds(event.currentTarget.value)}
        disabled={disabled}
        className={styles.ids}
        data-testid="template-ids"
      />
      <Button type="submit" disabled={disabled || busy || ids.trim() === ''} data-testid="template-read">
        {t('templates.read')}
      </Button>
      <IdMenu site={site} ids={ids.trim()} take={setIds} disabled={disabled} />
    </form>
  );
}
