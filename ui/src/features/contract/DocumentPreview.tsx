import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import {
  commands,
  type ContractEffect,
  type ContractPreview,
  type MatchChoice,
  type Operation,
  type OperationDifference,
} from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

import { AssumptionDifferences } from './AssumptionDifferences';
import { OperationMatchRow } from './OperationMatchRow';
import { targetText, withChoice } from './matchConfidence';
import { useContractChange } from './useContractChange';
import styles from './common/contract.module.css';
import { ChangeCounts } from './ChangeCounts';
import { Differences } from './Differences';

/** An operation that is new, or that the document no longer contains. */
function UnmatchedRow({ difference }: { difference: OperationDifference }) {
  const { t } = useTranslation();
  const [unfolded, setUnfolded] = useState(false);
  const path = (difference.kind === 'gone' ? 'before' : 'after') as 'before' | 'after';
  const call = ['method', 'path'].map((part) => difference.parts.find((one) => one.part === part)?.[path]).join(' ');
  return (
    <>
      <tr data-testid={`added-${difference.id}`}>
        <th scope="row">{difference.id}</th>
        <td>
          <code>{call}</code>
        </td>
        <td>{t(difference.kind === 'gone' ? 'contract.goneOperation' : 'contract.newOperation')}</td>
        <td>
          <ChangeCounts difference={difference} unfolded={unfolded} toggle={() => setUnfolded(!unfolded)} id={difference.id} />
        </td>
      </tr>
      {unfolded && (
        <tr>
          <td colSpan={4} className={styles.unfolded}>
            <Differences difference={difference} operation={undefined} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Shows how many mappings the document affects, and which pictures it removes. */
function DocumentEffects({ effects, operations }: { effects: ContractEffect[]; operations: Operation[] }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  if (effects.length === 0) return null;
  const operationTitle = (id: string) => {
    const operation = operations.find((one) => one.id === id);
    return operation ? name(operation) : id;
  };
  return (
    <section aria-labelledby="contract-effects">
      <h3 id="contract-effects">{t('contract.effects')}</h3>
      <ul data-testid="contract-effects">
        {effects.map(({ operation, mappings, pictures }) => (
          <li key={operation}>
            {mappings > 0 && t('contract.touchedMappings', { operation: operationTitle(operation), count: mappings })}
            {pictures.length > 0 && ` ${t('contract.lostPictures', { operation: operationTitle(operation), pictures: pictures.map((names) => name({ names })).join(', ') })}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

type Props = { site: string; initial: ContractPreview; operations: Operation[]; close: () => void };

/** Previews a document: the matching operations and the changes per field. */
export function DocumentPreview({ site, initial, operations, close }: Props) {
  const { t } = useTranslation();
  const [choices, setChoices] = useState<MatchChoice[]>([]);
  const choose = useMutation({
    mutationFn: (all: MatchChoice[]) => commands.contractMatch(site, all),
    onSuccess: (_, all) => setChoices(all),
  });
  const apply = useContractChange(() => commands.contractTake(site), close);
  const [last, setLast] = useState(initial);
  const preview = choose.data ?? last;
  const problem = choose.error ?? apply.error;
  const busy = choose.isPending || apply.isPending;
  const targets = preview.targets.map((target) => ({ value: targetText(target), target }));
  const matched = new Set(preview.matches.map(({ operation }) => operation));
  const added = preview.differences.filter(({ id }) => !matched.has(id));
  return (
    <section className={styles.section} aria-labelledby="contract-preview" data-testid="contract-preview">
      <div className={styles.line}>
        <div>
          <h2 id="contract-preview">{t('contract.previewTitle', { source: preview.source })}</h2>
          <p className="muted">{preview.title}</p>
        </div>
        <Group gap={8}>
          <Button variant="default" onClick={close} disabled={apply.isPending} data-testid="contract-cancel">
            {t('common.cancel')}
          </Button>
          <Button onClick={() => apply.mutate(undefined)} disabled={busy} data-testid="contract-take">
            {t('contract.take')}
          </Button>
        </Group>
      </div>
      <MatchSummary preview={preview} />
      <DocumentEffects effects={preview.effects} operations={operations} />
      {problem && <ProblemNote problem={toProblem(problem)} />}
      <div className={styles.wide} role="group" aria-labelledby="contract-preview" tabIndex={0}>
        <table className={styles.table} aria-labelledby="contract-preview">
          <thead>
            <tr>
              <th scope="col">{t('contract.columns.operation')}</th>
              <th scope="col">{t('contract.columns.target')}</th>
              <th scope="col">{t('contract.columns.match')}</th>
              <th scope="col">{t('contract.columns.changes')}</th>
            </tr>
          </thead>
          <tbody>
            {preview.matches.map((found) => (
              <OperationMatchRow
                key={found.operation}
                match={found}
                operation={operations.find(({ id }) => id === found.operation)}
                difference={preview.differences.find(({ id }) => id === found.operation)}
                targets={targets}
                busy={busy}
                choose={(target) => {
                  setLast(preview);
                  choose.mutate(withChoice(choices, { operation: found.operation, target }));
                }}
              />
            ))}
            {added.map((difference) => (
              <UnmatchedRow key={difference.id} difference={difference} />
            ))}
          </tbody>
        </table>
      </div>
      <AssumptionDifferences differences={preview.assumptions} />
    </section>
  );
}

/** Shows the number of matched, missing and undecided operations. */
function MatchSummary({ preview }: { preview: ContractPreview }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const count = (decision: string) => preview.matches.filter((found) => found.decision === decision).length;
  const [undecided, missing] = [count('ask'), count('missing')];
  return (
    <div role="status">
      <p data-testid="contract-found">
        {t('contract.found', { matched: number(count('matched')), count: preview.matches.length })}
        {missing > 0 && ` ${t('contract.notInDocument', { count: missing })}`}
      </p>
      {undecided > 0 && <p data-testid="contract-undecided">{t('contract.undecided', { count: undecided })}</p>}
    </div>
  );
}
