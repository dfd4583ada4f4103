import { ActionIcon, Button, Checkbox, Group, Input, MultiSelect, PasswordInput, SegmentedControl, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { isUnencrypted } from '@/base/addresses';
import { faultText } from '@/base/engineTexts';
import { queryKeys } from '@/base/queryKeys';
import { useEventKinds } from '@/base/useEventKinds';
import { useFormats } from '@/base/useFormats';
import { LocalDateTimeInput } from '@/components/controls/LocalDateTimeInput';
import { FixedWidthLabel } from '@/components/controls/FixedWidthLabel';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ForwardTarget, type TargetSettings, type TestSent, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { type TargetDraft, type HeaderDraft, START_OPTIONS, isComplete, nextHeaderKey, toDraft, toSettings, toStart } from './targetDraft';
import styles from './forwarding.module.css';

type HeaderFieldsProps = { headers: HeaderDraft[]; change: (headers: HeaderDraft[]) => void };

/** Headers sent with every event, such as `Authorization`. */
function HeaderFields({ headers, change }: HeaderFieldsProps) {
  const { t } = useTranslation();
  const changeHeader = (at: number, some: Partial<HeaderDraft>) => change(headers.map((one, index) => (index === at ? { ...one, ...some } : one)));
  return (
    <fieldset className={styles.headers}>
      <legend>{t('forwarding.form.headers')}</legend>
      {headers.map((header, at) => (
        <div key={header.key} className={styles.header}>
          <TextInput
            aria-label={t('forwarding.form.headerName')}
            placeholder={t('forwarding.form.headerExample')}
            value={header.name}
            onChange={(event) => changeHeader(at, { name: event.currentTarget.value, isStored: false })}
            autoComplete="off"
            data-testid={`forward-header-${at}`}
          />
          <PasswordInput
            aria-label={t('forwarding.form.headerValue')}
            placeholder={header.isStored ? t('forwarding.form.kept') : ''}
            value={header.value}
            onChange={(event) => changeHeader(at, { value: event.currentTarget.value })}
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
        onClick={() => change([...headers, { key: nextHeaderKey(headers), name: '', value: '', isStored: false }])}
        data-testid="forward-header-add"
      >
        {t('forwarding.form.headerAdd')}
      </Button>
    </fieldset>
  );
}

type StartFieldsProps = { draft: TargetDraft; change: (some: Partial<TargetDraft>) => void };

/** Selects the event with which forwarding to a new target begins. */
function StartFields({ draft, change }: StartFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Input.Wrapper label={t('forwarding.form.start')} labelElement="div">
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={t('forwarding.form.start')}
          data={START_OPTIONS.map((value) => ({ value, label: t(`forwarding.form.${value}`) }))}
          value={draft.start}
          onChange={(value) => change({ start: START_OPTIONS.find((start) => start === value) ?? 'now' })}
          data-testid="forward-start"
        />
      </Input.Wrapper>
      {draft.start === 'since' && (
        <LocalDateTimeInput label={t('forwarding.form.sinceWhen')} value={draft.since} change={(since) => change({ since })} testId="forward-since" />
      )}
    </>
  );
}

type TestEventProps = { settings: () => TargetSettings; before: number | null; disabled: boolean };

/** Sends a test event with the form's settings and shows the result. */
function TestEvent({ settings, before, disabled }: TestEventProps) {
  const { t } = useTranslation();
  const test = useMutation({ mutationFn: () => commands.forwardTest(settings(), before) });
  return (
    <div className={styles.test}>
      <Button size="xs" variant="default" loading={test.isPending} disabled={disabled} onClick={() => test.mutate()} data-testid="forward-test">
        {t('forwarding.test')}
      </Button>
      <div role="status" data-testid="forward-tested">
        {test.data && <TestResult sent={test.data} />}
      </div>
      {test.error && <ProblemNote problem={toProblem(test.error)} isSubtle />}
    </div>
  );
}

function TestResult({ sent: { event, fault, status, told } }: { sent: TestSent }) {
  const { t } = useTranslation();
  return (
    <>
      <p data-state={fault ? 'failing' : 'up-to-date'} className={styles.state}>
        {fault ? faultText(fault, status) : t('forwarding.tested', { status: status ?? '' })}
      </p>
      <p className="small muted">{event === null ? t('forwarding.testedEmpty') : t('forwarding.testedEvent', { event })}</p>
      {told && <blockquote className="mono small">{told}</blockquote>}
    </>
  );
}

type Props = { target?: ForwardTarget; close: () => void };

/** Form for a target. Secrets can be set, but aren't shown. */
export function TargetForm({ target, close }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => toDraft(target));
  const change = (some: Partial<TargetDraft>) => setDraft((now) => ({ ...now, ...some }));
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
        <Button size="compact-xs" variant="subtle" color="petrol" aria-pressed={draft.removesSecret} onClick={() => change({ removesSecret: !draft.removesSecret })}>
          <FixedWidthLabel label={t(draft.removesSecret ? 'forwarding.form.unsigned' : 'forwarding.form.unsign')} other={t(draft.removesSecret ? 'forwarding.form.unsign' : 'forwarding.form.unsigned')} />
        </Button>
      )}
      {!target && <StartFields draft={draft} change={change} />}
      <TestEvent settings={() => toSettings(draft)} before={target?.id ?? null} disabled={!ready} />
      {save.error && <ProblemNote problem={toProblem(save.error)} isSubtle />}
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
