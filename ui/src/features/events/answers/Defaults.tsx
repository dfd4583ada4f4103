import { Switch, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import styles from './answers.module.css';
import type { Draft } from './useRules';

/** What is answered where the rules don't decide. */
export function Defaults({ draft }: { draft: Draft }) {
  const { t } = useTranslation();
  const { refuseOtherwise, refuseOnFailure } = draft.rules;
  return (
    <section className={styles.defaults} aria-label={t('answers.defaults')}>
      <Default
        label={t('answers.otherwise')}
        text={refuseOtherwise ?? null}
        change={(text) => draft.change((before) => ({ ...before, refuseOtherwise: text }))}
        testId="rules-otherwise"
      />
      <Default
        label={t('answers.failure')}
        text={refuseOnFailure ?? null}
        change={(text) => draft.change((before) => ({ ...before, refuseOnFailure: text }))}
        testId="rules-failure"
      />
    </section>
  );
}

type Props = { label: string; text: string | null; change: (text: string | null) => void; testId: string };

function Default({ label, text, change, testId }: Props) {
  const { t } = useTranslation();
  return (
    <div>
      <p>{label}</p>
      <Switch
        size="xs"
        color="petrol"
        label={t(text === null ? 'answers.allowed' : 'answers.refused')}
        aria-label={`${label} ${t('answers.thenRefuse')}`}
        checked={text !== null}
        onChange={(event) => change(event.currentTarget.checked ? t('answers.refusedText') : null)}
        data-testid={testId}
      />
      {text !== null && (
        <TextInput size="xs" aria-label={`${label} ${t('answers.told')}`} value={text} onChange={(event) => change(event.currentTarget.value)} />
      )}
    </div>
  );
}
