import { Button, Group } from '@mantine/core';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ContractTest, type Evidence, type EvidenceKind, type Operation, type OperationTest, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { ChangeCounts } from './ChangeCounts';
import { Differences } from './Differences';
import { findField } from './findField';
import { useContractChange } from './useContractChange';
import styles from './common/contract.module.css';

/** Maximum number of listed items per operation. The rest is counted. */
const MAX_EVIDENCE = 40;

/** Evidence that is counted relative to a total. The total sets the plural form. */
const RELATIVE_EVIDENCE = new Set<EvidenceKind>(['member', 'offset', 'iso-duration']);

type Props = { site: string; learned: ContractTest; operations: Operation[]; close: () => void };

/** Findings from a site's responses, with their evidence and the resulting changes. */
export function LearnedFindings({ site, learned, operations, close }: Props) {
  const { t } = useTranslation();
  const apply = useContractChange(() => commands.contractTake(site), close);
  const testedOperations = learned.operations.filter(({ outcome }) => outcome !== 'skipped');
  const otherDifferences = learned.differences.filter(({ id }) => !testedOperations.some((test) => test.id === id));
  const rows = [...testedOperations, ...otherDifferences.map(({ id }) => learned.operations.find((test) => test.id === id))].filter((test) => test !== undefined);
  return (
    <section className={styles.section} aria-labelledby="contract-learned" data-testid="contract-learned">
      <div className={styles.line}>
        <h2 id="contract-learned">{t('contract.learned')}</h2>
        <Group gap={8}>
          <Button variant="default" onClick={close} disabled={apply.isPending} data-testid="contract-cancel">
            {t('common.cancel')}
          </Button>
          <Button onClick={() => apply.mutate(undefined)} disabled={apply.isPending || learned.nothingCame} data-testid="contract-take">
            {t('contract.take')}
          </Button>
        </Group>
      </div>
      <p role="status" data-testid="contract-requests">
        {t('contract.requests', { count: learned.requests })} {learned.nothingCame && t('contract.nothingCame')}
      </p>
      {apply.error && <ProblemNote problem={toProblem(apply.error)} />}
      <div className={styles.wide} role="group" aria-labelledby="contract-learned" tabIndex={0}>
        <table className={styles.table} aria-labelledby="contract-learned">
          <thead>
            <tr>
              <th scope="col">{t('contract.columns.operation')}</th>
              <th scope="col">{t('contract.columns.answer')}</th>
              <th scope="col">{t('contract.columns.changes')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((test) => (
              <LearnedRow key={test.id} test={test} learned={learned} operation={operations.find(({ id }) => id === test.id)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function LearnedRow({ test, learned, operation }: { test: OperationTest; learned: ContractTest; operation: Operation | undefined }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const [unfolded, setUnfolded] = useState(false);
  const difference = learned.differences.find(({ id }) => id === test.id);
  const outcome = test.status === null ? t(`contract.outcomes.${test.outcome}`) : t('contract.outcomeStatus', { outcome: t(`contract.outcomes.${test.outcome}`), status: test.status });
  return (
    <Fragment>
      <tr data-testid={`learned-${test.id}`} data-outcome={test.outcome}>
        <th scope="row">{operation ? name(operation) : test.id}</th>
        <td>{outcome}</td>
        <td>
          <ChangeCounts difference={difference} unfolded={unfolded} toggle={() => setUnfolded(!unfolded)} id={test.id} />
          {test.misfits.map(({ member, expected, found }) => (
            <p key={member} className="small" data-testid={`misfit-${test.id}-${member}`}>
              {t('contract.misfit', { member, expected, found })}
            </p>
          ))}
        </td>
      </tr>
      {unfolded && difference && (
        <tr>
          <td colSpan={3} className={styles.unfolded}>
            <EvidenceList evidence={learned.evidence.filter((one) => one.operation === test.id)} operation={operation} />
            <Differences difference={difference} operation={operation} headings={{ before: t('contract.columns.before'), after: t('contract.afterLearning') }} />
          </td>
        </tr>
      )}
    </Fragment>
  );
}

/** Lists the evidence, one sentence per kind. */
function EvidenceList({ evidence, operation }: { evidence: Evidence[]; operation: Operation | undefined }) {
  const { t } = useTranslation();
  const { name: translateName, number } = useFormats();
  const rest = evidence.length - MAX_EVIDENCE;
  const label = (path: string) => {
    const known = operation && path !== '' ? (findField(operation, 'answer', path) ?? findField(operation, 'request', path)) : undefined;
    return known ? translateName(known) : path;
  };
  return (
    <ul className={styles.evidence} data-testid={`evidence-${operation?.id}`}>
      {evidence.slice(0, MAX_EVIDENCE).map(({ kind, name, field, count, of }) => (
        <li key={`${kind} ${field}`}>
          {t(`contract.evidence.${kind}`, { name, field: label(field), count: RELATIVE_EVIDENCE.has(kind) ? of : count, seen: number(count), of: number(of) })}
        </li>
      ))}
      {rest > 0 && <li className="muted">+{number(rest)}</li>}
    </ul>
  );
}
