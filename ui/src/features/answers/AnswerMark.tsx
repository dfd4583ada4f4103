import { useTranslation } from 'react-i18next';

import type { AnsweredBy } from '@/ipc/bindings';
import styles from './answers.module.css';

/** An answer as sign and word, with its source if it wasn't a rule. */
export function AnswerMark({ allowed, by }: { allowed: boolean; by: AnsweredBy }) {
  const { t } = useTranslation();
  return (
    <span className={styles.answer} data-allowed={allowed}>
      <span aria-hidden>{allowed ? '✓' : '✕'}</span> {t(allowed ? 'answers.allowed' : 'answers.refused')}
      {by !== 'rule' && <span className={styles.by}>{t(`answers.by.${by}`)}</span>}
    </span>
  );
}
