import { ActionIcon, Button, MultiSelect, Popover, Switch, TextInput, Tooltip } from '@mantine/core';
import { IconBell, IconBellFilled, IconPlayerPlay, IconPlayerStop, IconSettings, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';

import { problemHint, problemTitle } from '@/base/engineTexts';
import { useEventKinds } from '@/base/useEventKinds';
import { useFormats } from '@/base/useFormats';
import { CopyButton } from '@/components/controls/CopyButton';
import { StatusPill } from '@/components/marks/StatusPill';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type NoticeRule, type Notices, type ReceiverView, commands } from '@/ipc/bindings';
import { queryKeys } from '@/base/queryKeys';

import { ReceiverSettings } from './ReceiverSettings';
import { useIsPractice } from './useIsPractice';
import { useReceiverActions } from './useReceiver';
import styles from './receiver.module.css';

/** Edits the rules for desktop notifications. An event is reported if any rule matches it. */
function NoticeRules({ notices }: { notices: Notices }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [edited, setEdited] = useState(notices);
  const { mutate } = useMutation({
    mutationFn: (next: Notices) => commands.noticesSave(next),
    onError: showProblemNotice,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.notices }),
  });
  const saveNotices = (next: Notices) => {
    setEdited(next);
    mutate(next);
  };
  const setRule = (at: number, rule: NoticeRule | null) => saveNotices({ ...edited, rules: edited.rules.flatMap((one, place) => (place === at ? (rule ? [rule] : []) : [one])) });
  return (
    <div className={styles.form} data-testid="notice-rules">
      <Switch
        label={t('notices.tell')}
        description={t('notices.few')}
        checked={edited.on}
        onChange={(event) => saveNotices({ on: event.currentTarget.checked, rules: edited.rules.length === 0 ? [NEW_RULE] : edited.rules })}
        data-testid="notices-on"
      />
      {withKeys(edited.rules).map(({ rule, at, key }) => (
        <NoticeRuleForm key={key} number={at + 1} rule={rule} onChange={(next) => setRule(at, next)} />
      ))}
      <div>
        <Button size="xs" variant="default" onClick={() => saveNotices({ ...edited, rules: [...edited.rules, NEW_RULE] })} data-testid="notice-add">
          {t('notices.add')}
        </Button>
      </div>
    </div>
  );
}

/** Adds React keys. Rules have no name, so the key consists of the index and the number of rules. */
function withKeys(rules: readonly NoticeRule[]): { rule: NoticeRule; at: number; key: string }[] {
  return rules.map((rule, at) => ({ rule, at, key: `${at}/${rules.length}` }));
}

type NoticeRuleFormProps = { number: number; rule: NoticeRule; onChange: (rule: NoticeRule | null) => void };

function NoticeRuleForm({ number, rule, onChange }: NoticeRuleFormProps) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const kinds = useEventKinds();
  const field = (which: 'station' | 'order' | 'employee') => (
    <TextInput
      size="xs"
      label={t(`notices.${which}`)}
      placeholder={t('notices.any')}
      defaultValue={rule[which]}
      onBlur={(event) => event.currentTarget.value !== rule[which] && onChange({ ...rule, [which]: event.currentTarget.value })}
      data-testid={`notice-${which}-${number}`}
    />
  );
  return (
    <fieldset className={styles.rule}>
      <legend className="hidden">{t('notices.rule', { number })}</legend>
      <div className={styles.ruleHead}>
        <Switch size="xs" label={t('notices.rule', { number })} checked={rule.on} onChange={(event) => onChange({ ...rule, on: event.currentTarget.checked })} />
        <ActionIcon variant="subtle" color="petrol" size="sm" aria-label={t('notices.remove', { number })} onClick={() => onChange(null)}>
          <IconTrash size={14} aria-hidden />
        </ActionIcon>
      </div>
      <MultiSelect
        size="xs"
        label={t('notices.kinds')}
        placeholder={rule.kinds.length === 0 ? t('notices.anyKind') : ''}
        data={kinds.map((kind) => ({ value: String(kind.id), label: name(kind) }))}
        value={rule.kinds.map(String)}
        onChange={(chosen) => onChange({ ...rule, kinds: chosen.map(Number) })}
        comboboxProps={{ withinPortal: false }}
        data-testid={`notice-kinds-${number}`}
      />
      <div className={styles.parts}>
        {field('station')}
        {field('order')}
        {field('employee')}
      </div>
    </fieldset>
  );
}

const NEW_RULE: NoticeRule = { on: true, kinds: [], station: '', order: '', employee: '' };

/** A button that opens the rules for desktop notifications. */
function NoticesButton() {
  const { t } = useTranslation();
  const { data } = useQuery({ queryKey: queryKeys.notices, queryFn: () => commands.notices() });
  if (!data) return null;
  const Bell = data.on ? IconBellFilled : IconBell;
  const label = data.on ? t('notices.on') : t('notices.off');
  return (
    <Popover position="bottom-end" width={440} trapFocus shadow="md">
      <Popover.Target>
        <Tooltip label={label}>
          <ActionIcon variant="default" size={30} aria-label={label} data-testid="notices">
            <Bell size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('notices.title')}>
        <h2 className={styles.title}>{t('notices.title')}</h2>
        <div className={styles.scroll}>
          <NoticeRules notices={data} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Shows the receiver's state and address, with a button to start or stop it. */
export function ReceiverBar({ receiver }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const actions = useReceiverActions(receiver);
  const [url] = receiver.urls;
  const stateWithoutUrl = receiver.elsewhere ? 'elsewhere' : 'off';
  const state = url === undefined ? (receiver.problem ? 'failed' : stateWithoutUrl) : 'on';
  return (
    <div className={styles.bar} role="group" aria-label={t('receiver.name')} data-testid="receiver" data-state={state}>
      <StatusPill tone={STATE_TONES[state]} sign={STATE_SIGNS[state]}>
        {t(`receiver.states.${state}`)}
      </StatusPill>
      {url === undefined ? (
        <Button size="xs" leftSection={<IconPlayerPlay size={14} aria-hidden />} disabled={actions.busy} onClick={actions.start} data-testid="receiver-start">
          {t('receiver.start')}
        </Button>
      ) : (
        <>
          <code className={styles.address} data-testid="receiver-url">
            {url}
          </code>
          <CopyButton value={url} label={t('receiver.copy')} />
          <Button size="xs" variant="default" leftSection={<IconPlayerStop size={14} aria-hidden />} disabled={actions.busy} onClick={actions.stop} data-testid="receiver-stop">
            {t('receiver.stop')}
          </Button>
        </>
      )}
      <ReceiverHint receiver={receiver} />
      <RefusedRequests receiver={receiver} />
      <NoticesButton />
      <Popover position="bottom-end" width={380} trapFocus withinPortal shadow="md">
        <Popover.Target>
          <Tooltip label={t('receiver.settings')}>
            <ActionIcon variant="default" size={30} aria-label={t('receiver.settings')} data-testid="receiver-settings">
              <IconSettings size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('receiver.settings')}>
          <h2 className={styles.title}>{t('receiver.settings')}</h2>
          <div className={styles.scroll}>
            <ReceiverSettings receiver={receiver} actions={actions} />
          </div>
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

/** Explains the next step, or the receiver's problem. */
function ReceiverHint({ receiver: { problem, urls, elsewhere } }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const practice = useIsPractice();
  if (problem) {
    return (
      <span className={styles.problem} role="alert">
        {problemTitle(problem)} {problemHint(problem)}
      </span>
    );
  }
  if (elsewhere) return <span className={styles.hint} />;
  const hint = practice ? t('receiver.practiceHint') : t('receiver.hint');
  return <span className={styles.hint}>{urls.length === 0 ? t('receiver.offHint') : hint}</span>;
}

/** Shows the number of requests that were refused or couldn't be stored. */
function RefusedRequests({ receiver: { refused } }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const all = refused.elsewhere + refused.unreadable + refused.notKept + refused.unverified;
  if (all === 0) return null;
  const parts = (['elsewhere', 'unreadable', 'notKept', 'unverified'] as const).filter((why) => refused[why] > 0);
  return (
    <Tooltip multiline w={320} label={parts.map((why) => `${number(refused[why])} ${t(`receiver.refused.${why}`)}`).join('; ')}>
      <span className={styles.refused} data-loud={refused.notKept + refused.unverified > 0 || undefined} tabIndex={0} data-testid="receiver-refused">
        <span aria-hidden>◆</span> {t('receiver.refusedCount', { count: all, shown: number(all) })}
      </span>
    </Tooltip>
  );
}

const STATE_TONES = { on: 'good', elsewhere: 'good', off: 'quiet', failed: 'bad' } as const;
const STATE_SIGNS = { on: '●', elsewhere: '●', off: '○', failed: '✕' } as const;
