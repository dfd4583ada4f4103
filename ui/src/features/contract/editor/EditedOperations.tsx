import { Button, Group } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import type { Operation, OperationEdit } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { type OperationDrafts, editsOf } from './operationDrafts';
import contract from '../common/contract.module.css';

type Props = { drafts: OperationDrafts; operations: Operation[]; save: UseMutationResult<number, Error, OperationEdit[]>; discard: () => void };

/** The edited operations, which are saved as one version. */
export function EditedOperations({ drafts, operations, save, discard }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const edited = operations.filter(({ id }) => drafts[id]);
  if (edited.length === 0) return null;
  return (
    <section className={contract.section} aria-labelledby="contract-kept" data-testid="contract-kept">
      <div className={contract.line}>
        <h2 id="contract-kept">{t('contract.kept', { count: edited.length })}</h2>
        <Group gap={8}>
          <Button variant="default" onClick={discard} disabled={save.isPending} data-testid="kept-discard">
            {t('contract.discardKept')}
          </Button>
          <Button onClick={() => save.mutate(editsOf(drafts, operations, null))} disabled={save.isPending} data-testid="kept-save">
            {t('contract.saveEdit')}
          </Button>
        </Group>
      </div>
      {save.error && <ProblemNote problem={toProblem(save.error)} />}
      <p>{edited.map((operation) => name(operation)).join(', ')}</p>
    </section>
  );
}
