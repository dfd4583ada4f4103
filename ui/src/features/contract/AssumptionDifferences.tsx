import { useTranslation } from 'react-i18next';

import type { AssumptionDifference, Value } from '@/ipc/bindings';
import { useAssumptionSubject } from './useAssumptionSubject';
import styles from './common/contract.module.css';

type Props = { differences: AssumptionDifference[]; headings?: { before: string; after: string } };

/** Lists assumptions about the service whose values differ between two versions. */
export function AssumptionDifferences({ differences, headings }: Props) {
  const { t } = useTranslation();
  if (differences.length === 0) return null;
  return (
    <div className={styles.wide} role="group" aria-label={t('contract.assumptions.title')} tabIndex={0}>
      <table className={styles.table} aria-label={t('contract.assumptions.title')} data-testid="contract-assumption-differences">
        <thead>
          <tr>
            <th scope="col">{t('contract.assumptions.subject')}</th>
            <th scope="col">{headings?.before ?? t('contract.columns.before')}</th>
            <th scope="col">{headings?.after ?? t('contract.columns.after')}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((difference) => (
            <DifferenceRow key={difference.id} difference={difference} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function DifferenceRow({ difference: { id, subject, before, after } }: { difference: AssumptionDifference }) {
  const { text, lang } = useAssumptionSubject(id, subject);
  return (
    <tr data-testid={`contract-assumption-${id}`}>
      <th scope="row" lang={lang}>
        {text}
      </th>
      <td className={styles.words}>{formatValue(before)}</td>
      <td className={styles.words}>{formatValue(after)}</td>
    </tr>
  );
}

function formatValue(value: Value | null) {
  return value === null ? null : <code className={styles.value}>{JSON.stringify(value)}</code>;
}
