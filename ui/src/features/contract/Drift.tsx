import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { type DriftEntry, type Operation, commands } from '@/ipc/bindings';
import styles from './common/contract.module.css';

type Props = { site: string; operations: Operation[]; learn: () => void; busy: boolean };

/** Lists deviations of the service's responses from the contract in force: types only, no values. */
export function Drift({ site, operations, learn, busy }: Props) {
  const { t } = useTranslation();
  const { name, number, moment } = useFormats();
  // Deviations are added while lists are read elsewhere in the window.
  const drift = useQuery({ queryKey: queryKeys.contractDrift(site), queryFn: () => commands.contractDrift(site), refetchOnMount: 'always' });
  const entries = drift.data ?? [];
  if (entries.length === 0) return null;
  const describe = ({ kind, expected, found }: DriftEntry) => t(`contract.drift.${kind}`, { expected, found });
  return (
    <section className={styles.section} aria-labelledby="contract-drift" data-testid="contract-drift">
      <div className={styles.line}>
        <h2 id="contract-drift">{t('contract.drift.title')}</h2>
        <Button size="xs" variant="default" onClick={learn} disabled={busy} data-testid="contract-drift-learn">
          {t('contract.drift.learn')}
        </Button>
      </div>
      <div className={styles.wide} role="group" aria-labelledby="contract-drift" tabIndex={0}>
        <table className={styles.table} aria-labelledby="contract-drift">
          <thead>
            <tr>
              <th scope="col">{t('contract.columns.operation')}</th>
              <th scope="col">{t('contract.columns.wire')}</th>
              <th scope="col">{t('contract.columns.change')}</th>
              <th scope="col">{t('contract.drift.seen')}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={`${entry.operation} ${entry.member} ${entry.kind}`} data-testid={`drift-${entry.operation}-${entry.member}`}>
                <th scope="row">{operationName(operations, entry.operation, name)}</th>
                <td>
                  <code>{entry.member}</code>
                </td>
                <td>{describe(entry)}</td>
                <td>{t('contract.drift.answers', { count: entry.count, answers: number(entry.count), first: moment(entry.first), last: moment(entry.last) })}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
