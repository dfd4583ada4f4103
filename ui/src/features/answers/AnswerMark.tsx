import { useTranslation } from 'react-i18next';

import type { AnsweredBy } from '@/ipc/bindings';
import styles from './answers.module.css';

/** What was answered: a sign and a word, and where it wasn't a rule that decided, what did. */
export function AnswerMark({ allowed, by }: { allowed: boolean; by: AnsweredBy }) {
  const { t } = useTranslation();
  return (
    <span className={styles.answer} data-allowed={allowed}>
      <span aria-hidden>{allowed ? '✓' : '✕'}</span> {t(allowed ? 'answers.allowed' : 'answers.refused')}
      {by !== 'rule' && <span className={styles.by}>{t(`answers.by.${by}`)}</span>}
    </span>
  );
}
