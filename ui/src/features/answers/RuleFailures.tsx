import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { RulesFailing } from '@/ipc/bindings';
import styles from './answers.module.css';

/** Warns of recent rule failures: the number of events, how many were allowed, and the failed rules. */
export function RuleFailures({ failing }: { failing: RulesFailing }) {
  const { t } = useTranslation();
  const { number, dateTime } = useFormats();
  const { events, allowed, rules, last } = failing;
  const values = { count: events, shown: number(events), allowed: number(allowed), rules: rules.join(', '), time: dateTime(last) };
  return (
    <p className={styles.silent} role="alert" data-testid="rules-failing">
      <span aria-hidden>▲</span> {t(rules.length === 0 ? 'answers.failingSlow' : 'answers.failing', values)} {t('answers.failingAllowed', values)}
    </p>
  );
}
