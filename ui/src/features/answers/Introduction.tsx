import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Provenance } from '@/components/marks/Provenance';
import { useReceiver, useReceiverActs } from '@/features/receiver';
import type { ReceiverView } from '@/ipc/bindings';
import { RuleFailures } from './RuleFailures';
import { useRulesFailing, useRuleWords } from './useRules';
import styles from './answers.module.css';

/** What the service does where nobody answers isn't specified. */
const silent = { provenance: { level: 'assumed' as const, source: '' } };

/** In a sentence, what this is about; and where nobody would answer, what happens then. */
export function Introduction() {
  const { t } = useTranslation();
  const { data: receiver } = useReceiver();
  const failing = useRulesFailing();
  return (
    <div className={styles.about}>
      <p>{t('answers.about')}</p>
      {failing && <RuleFailures failing={failing} />}
      {receiver && receiver.urls.length === 0 && <Silent receiver={receiver} />}
    </div>
  );
}

function Silent({ receiver }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const acts = useReceiverActs(receiver);
  const words = useRuleWords();
  return (
    <p className={styles.silent} role="status" data-testid="answers-silent">
      <span aria-hidden>◆</span> {t('answers.silent')} <Provenance of={silent}>{t(`answers.${silence(words?.unanswered)}`)}</Provenance>
      <Button size="compact-xs" variant="default" disabled={acts.busy} onClick={acts.start}>
        {t('receiver.start')}
      </Button>
    </p>
  );
}

function silence(allowed: boolean | null | undefined): 'silentAllows' | 'silentRefuses' | 'silentUnknown' {
  if (allowed === true) return 'silentAllows';
  return allowed === false ? 'silentRefuses' : 'silentUnknown';
}
