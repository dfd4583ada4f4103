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
import { MatchRow } from './MatchRow';
import { targetText, withChoice } from './matchConfidence';
import { useContractChange } from './useContractChange';
import styles from './common/contract.module.css';
import { ChangeCounts } from './ChangeCounts';
import { Differences } from './Differences';

/** An operation that is new, or that the document no longer contains. */
function AddedRow({ difference }: { difference: OperationDifference }) {
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
function Effects({ effects, operations }: { effects: ContractEffect[]; operations: Operation[] }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  if (effects.length === 0) return null;
  const named = (id: string) => {
    const operation = operations.find((one) => one.id === id);
    return operation ? name(operation) : id;
  };
  return (
    <section aria-labelledby="contract-effects">
      <h3 id="contract-effects">{t('contract.effects')}</h3>
      <ul data-testid="contract-effects">
        {effects.map(({ operation, mappings, pictures }) => (
          <li key={operation}>
            {mappings > 0 && t('contract.touchedMappings', { operation: named(operation), count: mappings })}
            {pictures.length > 0 && ` ${t('contract.lostPictures', { operation: named(operation), pictures: pictures.map((names) => name({ names })).join(', ') })}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

type Props = { site: string; first: ContractPreview; operations: Operation[]; close: () => void };

/** Previews a document: the matching operations and the changes per field. */
export function Preview({ site, first, operations, close }: Props) {
  const { t } = useTranslation();
  const [choices, setChoices] = useState<MatchChoice[]>([]);
  const choose = useMutation({
    mutationFn: (all: MatchChoice[]) => commands.contractMatch(site, all),
    onSuccess: (_, all) => setChoices(all),
  });
  const take = useContractChange(() => commands.contractTake(site), close);
  const [last, setLast] = useState(first);
  const preview = choose.data ?? last;
  const problem = choose.error ?? take.error;
  const busy = choose.isPending || take.isPending;
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
          <Button variant="default" onClick={close} disabled={take.isPending} data-testid="contract-cancel">
            {t('common.cancel')}
          </Button>
          <Button onClick={() => take.mutate(undefined)} disabled={busy} data-testid="contract-take">
            {t('contract.take')}
          </Button>
        </Group>
      </div>
      <Summary preview={preview} />
      <Effects effects={preview.effects} operations={operations} />
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
              <MatchRow
                key={found.operation}
                found={found}
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
              <AddedRow key={difference.id} difference={difference} />
            ))}
          </tbody>
        </table>
      </div>
      <AssumptionDifferences differences={preview.assumptions} />
    </section>
  );
}

/** Shows the number of matched, missing and undecided operations. */
function Summary({ preview }: { preview: ContractPreview }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const count = (decision: string) => preview.matches.filter((found) => found.decision === decision).length;
  const [asked, missing] = [count('ask'), count('missing')];
  return (
    <div role="status">
      <p data-testid="contract-found">
        {t('contract.found', { matched: number(count('matched')), count: preview.matches.length })}
        {missing > 0 && ` ${t('contract.notInDocument', { count: missing })}`}
      </p>
      {asked > 0 && <p data-testid="contract-undecided">{t('contract.undecided', { count: asked })}</p>}
    </div>
  );
}
