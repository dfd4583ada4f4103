import { Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { rulesFailedText } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { type Draft, useRuleWords } from './useRules';
import styles from './answers.module.css';

/** The answers if the rules don't decide. */
export function Defaults({ draft }: { draft: Draft }) {
  const { t } = useTranslation();
  return (
    <section className={styles.defaults} aria-label={t('answers.defaults')}>
      <DefaultAnswer draft={draft} />
      <FailureAnswer draft={draft} />
    </section>
  );
}

/** The answer if no rule applies: allowed by default. */
function DefaultAnswer({ draft }: { draft: Draft }) {
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
function FailureAnswer({ draft }: { draft: Draft }) {
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
