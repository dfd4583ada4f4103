import { ActionIcon, Button, MultiSelect, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useEventKinds } from '@/base/useEventKinds';
import { useFormats } from '@/base/useFormats';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type NoticeRule, type Notices, commands } from '@/ipc/bindings';
import styles from './receiver.module.css';

/** Rules for desktop notifications. An event needs to match only one. */
export function NoticeRules({ notices }: { notices: Notices }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [shown, setShown] = useState(notices);
  const { mutate } = useMutation({
    mutationFn: (next: Notices) => commands.noticesSave(next),
    onError: showProblemNotice,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.notices }),
  });
  const saveNotices = (next: Notices) => {
    setShown(next);
    mutate(next);
  };
  const put = (at: number, rule: NoticeRule | null) => saveNotices({ ...shown, rules: shown.rules.flatMap((one, place) => (place === at ? (rule ? [rule] : []) : [one])) });
  return (
    <div className={styles.form} data-testid="notice-rules">
      <Switch
        label={t('notices.tell')}
        description={t('notices.few')}
        checked={shown.on}
        onChange={(event) => saveNotices({ on: event.currentTarget.checked, rules: shown.rules.length === 0 ? [NEW_RULE] : shown.rules })}
        data-testid="notices-on"
      />
      {withKeys(shown.rules).map(({ rule, at, key }) => (
        <RuleLine key={key} number={at + 1} rule={rule} put={(next) => put(at, next)} />
      ))}
      <div>
        <Button size="xs" variant="default" onClick={() => saveNotices({ ...shown, rules: [...shown.rules, NEW_RULE] })} data-testid="notice-add">
          {t('notices.add')}
        </Button>
      </div>
    </div>
  );
}

/** Adds keys. Rules have no name, so the key is the index and the number of rules. */
function withKeys(rules: readonly NoticeRule[]): { rule: NoticeRule; at: number; key: string }[] {
  return rules.map((rule, at) => ({ rule, at, key: `${at}/${rules.length}` }));
}

type LineProps = { number: number; rule: NoticeRule; put: (rule: NoticeRule | null) => void };

function RuleLine({ number, rule, put }: LineProps) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const kinds = useEventKinds();
  const field = (which: 'station' | 'order' | 'employee') => (
    <TextInput
      size="xs"
      label={t(`notices.${which}`)}
      placeholder={t('notices.any')}
      defaultValue={rule[which]}
      onBlur={(event) => event.currentTarget.value !== rule[which] && put({ ...rule, [which]: event.currentTarget.value })}
      data-testid={`notice-${which}-${number}`}
    />
  );
  return (
    <fieldset className={styles.rule}>
      <legend className="hidden">{t('notices.rule', { number })}</legend>
      <div className={styles.ruleHead}>
        <Switch size="xs" label={t('notices.rule', { number })} checked={rule.on} onChange={(event) => put({ ...rule, on: event.currentTarget.checked })} />
        <ActionIcon variant="subtle" color="petrol" size="sm" aria-label={t('notices.remove', { number })} onClick={() => put(null)}>
          <IconTrash size={14} aria-hidden />
        </ActionIcon>
      </div>
      <MultiSelect
        size="xs"
        label={t('notices.kinds')}
        placeholder={rule.kinds.length === 0 ? t('notices.anyKind') : ''}
        data={kinds.map((kind) => ({ value: String(kind.id), label: name(kind) }))}
        value={rule.kinds.map(String)}
        onChange={(chosen) => put({ ...rule, kinds: chosen.map(Number) })}
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
