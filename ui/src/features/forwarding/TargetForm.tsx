import { Button, Checkbox, Group, MultiSelect, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { isUnencrypted } from '@/base/addresses';
import { queryKeys } from '@/base/queryKeys';
import { useEventKinds } from '@/base/useEventKinds';
import { useFormats } from '@/base/useFormats';
import { SteadyLabel } from '@/components/controls/SteadyLabel';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ForwardTarget, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { HeaderFields } from './HeaderFields';
import { StartFields } from './StartFields';
import { TestEvent } from './TestEvent';
import { type Draft, toDraft, isComplete, toStart, toSettings } from './targetDraft';
import styles from './forwarding.module.css';

type Props = { target?: ForwardTarget; close: () => void };

/** Form for a target. Secrets can be set, but aren't shown. */
export function TargetForm({ target, close }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => toDraft(target));
  const change = (some: Partial<Draft>) => setDraft((now) => ({ ...now, ...some }));
  const kinds = useEventKinds();
  const save = useMutation({
    mutationFn: () => (target ? commands.forwardChange(target.id, toSettings(draft)) : commands.forwardAdd(toSettings(draft), toStart(draft))),
    onSuccess: close,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.forwarding }),
  });
  const ready = isComplete(draft);
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (ready) save.mutate();
  };
  return (
    <form onSubmit={submit} className={styles.form}>
      <TextInput
        label={t('forwarding.form.name')}
        placeholder={t('forwarding.form.nameExample')}
        value={draft.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        data-autofocus
        data-testid="forward-name"
      />
      <TextInput
        label={t('forwarding.form.address')}
        placeholder={t('forwarding.form.addressExample')}
        value={draft.address}
        onChange={(event) => change({ address: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
        data-testid="forward-address"
      />
      {isUnencrypted(draft.address) && (
        <Checkbox
          label={t('forwarding.form.allowHttp')}
          checked={draft.allowHttp}
          onChange={(event) => change({ allowHttp: event.currentTarget.checked })}
          data-testid="forward-allowHttp"
        />
      )}
      <MultiSelect
        label={t('forwarding.form.kinds')}
        placeholder={draft.kinds.length === 0 ? t('forwarding.form.all') : undefined}
        data={kinds.map((kind) => ({ value: String(kind.id), label: name(kind) }))}
        value={draft.kinds}
        onChange={(chosen) => change({ kinds: chosen })}
        maxDropdownHeight={420}
        data-testid="forward-kinds"
      />
      <HeaderFields headers={draft.headers} change={(headers) => change({ headers })} />
      <PasswordInput
        label={t('forwarding.form.secret')}
        description={t(target?.signs ? 'forwarding.form.secretKept' : 'forwarding.form.secretHint')}
        value={draft.secret}
        onChange={(event) => change({ secret: event.currentTarget.value })}
        visibilityToggleButtonProps={{ 'aria-label': t('siteForm.showSecret') }}
        autoComplete="off"
        data-testid="forward-secret"
      />
      {target?.signs && (
        <Button size="compact-xs" variant="subtle" color="petrol" aria-pressed={draft.unsigned} onClick={() => change({ unsigned: !draft.unsigned })}>
          <SteadyLabel label={t(draft.unsigned ? 'forwarding.form.unsigned' : 'forwarding.form.unsign')} other={t(draft.unsigned ? 'forwarding.form.unsign' : 'forwarding.form.unsigned')} />
        </Button>
      )}
      {!target && <StartFields draft={draft} change={change} />}
      <TestEvent settings={() => toSettings(draft)} before={target?.id ?? null} disabled={!ready} />
      {save.error && <ProblemNote problem={toProblem(save.error)} quiet />}
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" type="submit" disabled={!ready || save.isPending} data-testid="forward-save">
          {t(target ? 'common.save' : 'forwarding.add')}
        </Button>
      </Group>
    </form>
  );
}
