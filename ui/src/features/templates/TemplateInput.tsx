import { Button, CloseButton, TextInput, UnstyledButton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { client } from '../../app/client';
import { keys } from '../../app/state';
import { commands } from '../../ipc/bindings';
import styles from './templates.module.css';

type Props = { read: (ids: string) => void; busy: boolean; disabled: boolean };

/** Template ids as a person writes them; those that were read before are remembered. */
export function TemplateInput({ read, busy, disabled }: Props) {
  const { t } = useTranslation();
  const [ids, setIds] = useState('');
  const remembered = useQuery({ queryKey: keys.remembered, queryFn: () => commands.templateRemembered() });
  const forget = useMutation({
    mutationFn: (id: number) => commands.templateForget(id),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.remembered }),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (ids.trim()) read(ids);
  };
  const known = (remembered.data ?? []).filter((id) => id !== null);
  return (
    <form className={styles.input} onSubmit={submit}>
      <TextInput
        label={t('templates.ids')}
        placeholder={t('templates.idsExample')}
        value={ids}
        onChange={(event) => setIds(event.currentTarget.value)}
        disabled={disabled}
        w={280}
        data-testid="template-ids"
      />
      <Button type="submit" disabled={disabled || busy || ids.trim() === ''} data-testid="template-read">
        {t('templates.read')}
      </Button>
      {known.length > 0 && (
        <div className={styles.remembered} role="group" aria-label={t('templates.remembered')}>
          <span className="muted small">{t('templates.remembered')}</span>
          {known.map((id) => (
            <span key={id} className={styles.chip}>
              <UnstyledButton
                onClick={() => setIds((now) => (now.trim() ? `${now.trim()}, ${id}` : String(id)))}
                aria-label={t('templates.use', { id })}
                disabled={disabled}
                data-testid={`template-chip-${id}`}
              >
                {id}
              </UnstyledButton>
              <CloseButton size="xs" onClick={() => forget.mutate(id)} aria-label={t('templates.forget', { id })} />
            </span>
          ))}
        </div>
      )}
    </form>
  );
}
