import { Button, Group, MultiSelect, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import type { EventName } from './eventNames';
import styles from '../common/plant.module.css';

type Props = { events: EventName[]; close: () => void };

/** Adds an event receiver: address, secret and event kinds. */
export function TargetForm({ events, close }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const add = useMutation({
    mutationFn: () => commands.plantTargetAdd(url.trim(), secret || null, chosen.map(Number)),
    onSuccess: close,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.plant }),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (url.trim()) add.mutate();
  };
  return (
    <form onSubmit={submit} className={styles.form}>
      <h2>{t('events.add')}</h2>
      <TextInput
        label={t('events.url')}
        placeholder={t('events.urlExample')}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        data-testid="target-url"
      />
      <PasswordInput
        label={t('events.secret')}
        description={t('events.secretHint')}
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': t('siteForm.showSecret') }}
        autoComplete="off"
        data-testid="target-secret"
      />
      <MultiSelect
        label={t('events.which')}
        placeholder={chosen.length === 0 ? t('events.all') : undefined}
        data={events.map((event) => ({ value: String(event.id), label: name(event) }))}
        value={chosen}
        onChange={setChosen}
        comboboxProps={{ withinPortal: false }}
          maxDropdownHeight={420}
        clearButtonProps={{ 'aria-label': t('common.close') }}
        data-testid="target-events"
      />
      {add.error && <ProblemNote problem={toProblem(add.error)} quiet />}
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" type="submit" disabled={!url.trim() || add.isPending} data-testid="target-save">
          {t('events.addYes')}
        </Button>
      </Group>
    </form>
  );
}
