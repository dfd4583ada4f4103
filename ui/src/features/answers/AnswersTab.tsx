import { ActionIcon, Button, Menu, Switch, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconDots } from '@tabler/icons-react';

import { rulesFailedText } from '@/base/engineTexts';
import type { EventTabProps } from '@/base/navigation';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { PageFrame } from '@/components/page/PageFrame';
import { commands, type ReceiverView } from '@/ipc/bindings';
import { useFormats } from '@/base/useFormats';
import { useSite } from '@/base/appState';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { Provenance } from '@/components/marks/Provenance';
import { useReceiver, useReceiverActions } from '@/features/receiver';

import { RuleEditor } from './RuleEditor';
import { RuleList } from './RuleList';
import { TrialSection } from './Trial';
import { type RulesDraft, useRules, useRulesFailing, useRuleWords } from './useRules';
import styles from './answers.module.css';
import { useAddRule } from './useAddRule';
import { RuleFailures } from './RuleFailures';

/** The specification doesn't describe the service's behavior without an answer. */
const UNDOCUMENTED = { provenance: { level: 'assumed' as const, source: '' } };

/** Introduces the answer rules, and warns if events won't be answered. */
function Introduction() {
  const { t } = useTranslation();
  const { data: receiver } = useReceiver();
  const failing = useRulesFailing();
  return (
    <div className={styles.about}>
      <p>{t('answers.about')}</p>
      {failing && <RuleFailures failing={failing} />}
      {receiver && receiver.urls.length === 0 && <ReceiverOffNote receiver={receiver} />}
    </div>
  );
}

function ReceiverOffNote({ receiver }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const receiverActions = useReceiverActions(receiver);
  const words = useRuleWords();
  return (
    <p className={styles.silent} role="status" data-testid="answers-silent">
      <span aria-hidden>◆</span> {t('answers.silent')} <Provenance of={UNDOCUMENTED}>{t(`answers.${unansweredTextKey(words?.unanswered)}`)}</Provenance>
      <Button size="compact-xs" variant="default" disabled={receiverActions.busy} onClick={receiverActions.start}>
        {t('receiver.start')}
      </Button>
    </p>
  );
}

function unansweredTextKey(allowed: boolean | null | undefined): 'silentAllows' | 'silentRefuses' | 'silentUnknown' {
  if (allowed === true) return 'silentAllows';
  return allowed === false ? 'silentRefuses' : 'silentUnknown';
}

/** Buttons that export the rules to a file and import them. */
function FileButtons({ draft }: { draft: RulesDraft }) {
  const { t } = useTranslation();
  const site = useSite()?.site.name ?? '';
  const save = () => {
    commands.rulesExport(draft.rules, t('answers.export'), t('answers.fileName', { site })).then((path) => showSavedNotice(path)).catch(showProblemNotice);
  };
  const read = () => {
    commands
      .rulesImport(t('answers.import'))
      .then((rules) => rules && draft.change(() => rules))
      .catch(showProblemNotice);
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={t('answers.files')} data-testid="answers-files">
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={read}>{t('answers.import')}</Menu.Item>
        <Menu.Item onClick={save}>{t('answers.export')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Replaces the expressions in a reason with an ellipsis. */
const hideExpressions = (reason: string | null) => reason?.replaceAll(/\{[^{}]*\}/gu, '…');

/** Example rules, offered if there are no rules. An added example is off until you turn it on. */
function Examples({ draft, choose }: { draft: RulesDraft; choose: (at: number) => void }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { examples, addExample, reasonOf } = useAddRule(draft, choose);
  return (
    <section aria-labelledby="rule-examples">
      <header className={styles.head}>
        <h2 id="rule-examples">{t('answers.examples')}</h2>
      </header>
      <ul className={styles.list} data-testid="rule-examples">
        {examples.map((entry) => (
          <li key={entry.id} className={styles.rule}>
            <UnstyledButton className={styles.choose} onClick={() => addExample(entry)} data-testid={`take-${entry.id}`}>
              <span className={styles.name}>{name(entry)}</span>
              <span className="muted small">{hideExpressions(reasonOf(entry)) ?? t('answers.thenAllow')}</span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The rules that answer events: edit, try on past events, put in force. */
export function AnswersTab({ title, actions }: EventTabProps) {
  const draft = useRules();
  return (
    <PageFrame
      title={title}
      action={
        <>
          {draft && <FileButtons draft={draft} />}
          {draft && <ApplyBar draft={draft} />}
          {actions}
        </>
      }
      filter={<Introduction />}
    >
      {draft && <RulesSection draft={draft} />}
    </PageFrame>
  );
}

/** The answers to events that no rule decides. */
function DefaultAnswers({ draft }: { draft: RulesDraft }) {
  const { t } = useTranslation();
  return (
    <section className={styles.defaults} aria-label={t('answers.defaults')}>
      <DefaultAnswer draft={draft} />
      <FailureAnswer draft={draft} />
    </section>
  );
}

/** The answer if no rule applies: allowed by default. */
function DefaultAnswer({ draft }: { draft: RulesDraft }) {
  const { t } = useTranslation();
  const text = draft.rules.refuseOtherwise ?? null;
  const change = (reason: string | null) => draft.change((before) => ({ ...before, refuseOtherwise: reason }));
  return (
    <div>
      <p>{t('answers.otherwise')}</p>
      <Switch
        size="xs"
        color="petrol"
        label={t(text === null ? 'answers.allowed' : 'answers.refused')}
        aria-label={`${t('answers.otherwise')} ${t('answers.thenRefuse')}`}
        checked={text !== null}
        onChange={(event) => change(event.currentTarget.checked ? t('answers.refusedText') : null)}
        data-testid="rules-otherwise"
      />
      {text !== null && (
        <TextInput
          size="xs"
          aria-label={`${t('answers.otherwise')} ${t('answers.told')}`}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

/** The answer if a rule fails: refused, unless allowed for this event kind. */
function FailureAnswer({ draft }: { draft: RulesDraft }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const words = useRuleWords();
  const { refuseOnFailure, allowOnFailure = [] } = draft.rules;
  const allow = (event: number, allowed: boolean) =>
    draft.change((before) => ({
      ...before,
      allowOnFailure: [...(before.allowOnFailure ?? []).filter((known) => known !== event), ...(allowed ? [event] : [])],
    }));
  return (
    <div data-testid="rules-failure">
      <p>{t('answers.failure')}</p>
      {words?.events.map((event) => (
        <Switch
          key={event.id}
          size="xs"
          color="petrol"
          label={t('answers.allowOnFailure', { event: name(event) })}
          checked={allowOnFailure.includes(event.id)}
          onChange={(change) => allow(event.id, change.currentTarget.checked)}
          data-testid={`rules-failure-allow-${event.id}`}
        />
      ))}
      {allowOnFailure.length < (words?.events.length ?? 0) && (
        <TextInput
          size="xs"
          label={t('answers.told')}
          placeholder={rulesFailedText()}
          value={refuseOnFailure ?? ''}
          onChange={({ currentTarget: { value } }) => draft.change((before) => ({ ...before, refuseOnFailure: value === '' ? null : value }))}
          data-testid="rules-failure-text"
        />
      )}
    </div>
  );
}

function RulesSection({ draft }: { draft: RulesDraft }) {
  const [chosen, choose] = useState(0);
  const at = Math.min(chosen, draft.rules.rules.length - 1);
  return (
    <div className={styles.page} data-testid="answers">
      <div className={styles.left}>
        <RuleList draft={draft} at={at} choose={choose} />
        <DefaultAnswers draft={draft} />
      </div>
      <div className={styles.right}>
        {draft.rules.rules.length === 0 ? (
          <Examples draft={draft} choose={choose} />
        ) : (
          <>
            <RuleEditor draft={draft} at={at} choose={choose} />
            <TrialSection draft={draft} />
          </>
        )}
      </div>
    </div>
  );
}

/** Puts the edited rules in force. */
function ApplyBar({ draft }: { draft: RulesDraft }) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const { rules, checks, isChecked, isDirty, restore } = draft;
  const on = rules.rules.flatMap((rule, at) => (rule.on ? [checks[at]] : []));
  const faulty = on.some((check) => check?.faults.some((fault) => fault.error));
  const untried = on.some((check) => !check?.tried);
  // Rules that are off are neither checked nor tested before the others are used.
  const state = faulty ? 'faulty' : on.length === 0 ? 'unused' : untried ? 'untried' : 'ready';
  const save = () => {
    setBusy(true);
    commands
      .rulesSave(rules)
      .then(restore)
      .catch(showProblemNotice)
      .finally(() => setBusy(false));
  };
  return (
    <span className={styles.force}>
      {isDirty && isChecked && (
        <span className="muted small" data-testid="answers-state">
          {t(`answers.${state}`)}
        </span>
      )}
      {isDirty && (
        <Button variant="default" onClick={() => void restore().catch(showProblemNotice)} data-testid="answers-restore">
          {t('answers.restore')}
        </Button>
      )}
      <Button onClick={save} loading={busy} disabled={!isDirty || !isChecked || faulty || untried} data-testid="answers-save">
        {t('answers.save')}
      </Button>
    </span>
  );
}
