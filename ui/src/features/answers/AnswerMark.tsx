import { useTranslation } from 'react-i18next';

import { StatusPill } from '@/components/marks/StatusPill';
import type { AnsweredBy } from '@/ipc/bindings';
import styles from './answers.module.css';

/** An answer as sign and word, with its source if it wasn't a rule. */
export function AnswerMark({ allowed, by }: { allowed: boolean; by: AnsweredBy }) {
  const { t } = useTranslation();
  return (
    <span className={styles.answer}>
      <StatusPill tone={allowed ? 'good' : 'bad'} sign={allowed ? '✓' : '✕'}>
        {t(allowed ? 'answers.allowed' : 'answers.refused')}
      </StatusPill>{' '}
      {by !== 'rule' && <span className={styles.by}>{t(`answers.by.${by}`)}</span>}
    </span>
  );
}
