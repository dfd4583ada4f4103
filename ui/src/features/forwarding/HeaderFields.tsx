import { ActionIcon, Button, PasswordInput, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { type Header, nextKey } from './targetDraft';
import styles from './forwarding.module.css';

type Props = { headers: Header[]; change: (headers: Header[]) => void };

/** Headers sent with every event, such as `Authorization`. */
export function HeaderFields({ headers, change }: Props) {
  const { t } = useTranslation();
  const put = (at: number, some: Partial<Header>) => change(headers.map((one, index) => (index === at ? { ...one, ...some } : one)));
  return (
    <fieldset className={styles.headers}>
      <legend>{t('forwarding.form.headers')}</legend>
      {headers.map((header, at) => (
        <div key={header.key} className={styles.header}>
          <TextInput
            aria-label={t('forwarding.form.headerName')}
            placeholder={t('forwarding.form.headerExample')}
            value={header.name}
            onChange={(event) => put(at, { name: event.currentTarget.value, isStored: false })}
            autoComplete="off"
            data-testid={`forward-header-${at}`}
          />
          <PasswordInput
            aria-label={t('forwarding.form.headerValue')}
            placeholder={header.isStored ? t('forwarding.form.kept') : ''}
            value={header.value}
            onChange={(event) => put(at, { value: event.currentTarget.value })}
            visibilityToggleButtonProps={{ 'aria-label': t('siteForm.showSecret') }}
            autoComplete="off"
            data-testid={`forward-header-value-${at}`}
          />
          <ActionIcon
            variant="subtle"
            color="petrol"
            aria-label={t('forwarding.form.headerRemove')}
            onClick={() => change(headers.filter((_, index) => index !== at))}
          >
            <IconX size={14} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconPlus size={12} aria-hidden />}
        onClick={() => change([...headers, { key: nextKey(headers), name: '', value: '', isStored: false }])}
        data-testid="forward-header-add"
      >
        {t('forwarding.form.headerAdd')}
      </Button>
    </fieldset>
  );
}
