import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { type SubmissionView, commands } from '@/ipc/bindings';
import styles from '../common/submission.module.css';

/** What unconfirmed rows add up to, so that a person who compares a few sums with the service can decide about all of them. */
export function UnconfirmedTotals({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const { id, counts } = submission;
  const fields = useOperations().find((one) => one.id === submission.operation)?.request?.fields ?? [];
  const { data } = useQuery({
    queryKey: queryKeys.unconfirmedTotals(id, counts.unconfirmed),
    queryFn: () => commands.submissionUnconfirmedTotals(id),
  });
  if (!data) return null;
  const label = (member: string) => {
    const field = fields.find((one) => one.name === member);
    return field ? name(field) : member;
  };
  return (
    <div className={styles.sums} data-testid="unconfirmed-totals">
      <p id="unconfirmed-totals">{t('sendUnconfirmed.totals')}</p>
      <table aria-labelledby="unconfirmed-totals">
        <thead>
          <tr>
            {data.by.map((member) => (
              <th key={member}>{label(member)}</th>
            ))}
            <th>{t('sendUnconfirmed.rows')}</th>
            <th>{t('sendUnconfirmed.ifNot')}</th>
            <th>{t('sendUnconfirmed.ifArrived')}</th>
          </tr>
        </thead>
        <tbody>
          {data.totals.map((total) => (
            <tr key={total.by.join('\u001f')}>
              {total.by.map((value, at) => (
                <td key={data.by[at]}>{value}</td>
              ))}
              <td className="number">{number(total.rows)}</td>
              <td className="number">{number(total.ifNot ?? 0)}</td>
              <td className="number">{number(total.ifArrived ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.more > 0 && <p className="muted small">{t('sendUnconfirmed.more', { count: data.more })}</p>}
      {data.totals.some((total) => total.unknownBefore > 0) && (
        <p className="muted small">{t('sendUnconfirmed.unknownBefore')}</p>
      )}
    </div>
  );
}
