import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { guarded } from '@/base/guard';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { type SubmissionView, type UndoView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { storePlan } from '../common/usePlan';
import styles from '../common/submission.module.css';

const kinds = ['restored', 'same', 'changedSince', 'created', 'deleted', 'unknown'] as const;
const mostTold = 8;

export function UndoButton({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={open} data-testid="undo">
        {t('decide.undo')}
      </Button>
      {opened && <UndoDialog submission={submission} close={close} />}
    </>
  );
}

/** Says plainly what can be taken back now and what can't; then it is sent as a submission of its own. */
function UndoDialog({ submission, close }: { submission: SubmissionView; close: () => void }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const site = useSiteName()(submission.site);
  const { id } = submission;
  const { name } = useFormats();
  const operations = useOperations();
  const plan = useQuery({ queryKey: queryKeys.undoPlan(id), queryFn: () => commands.submissionUndoPlan(id), gcTime: 0, staleTime: 0, retry: false });
  const rows = plan.data?.restored ?? 0;
  const what = t('decide.undoDo', { count: rows, site });
  const undo = useMutation({
    mutationFn: () => guarded((confirmed) => commands.submissionUndo(id, confirmed), what),
    onSuccess: (made) => {
      storePlan(made);
      close();
      go({ page: 'history', submission: made.id });
    },
  });
  const error = plan.error ?? undo.error;
  return (
    <Dialog title={t('decide.undoTitle', { what: submission.file || operationName(operations, submission.operation, name), site })} close={close}>
      {plan.isPending && <p className="muted">{t('decide.undoLooks')}</p>}
      {plan.data && <Told plan={plan.data} />}
      {error && <ProblemNote problem={toProblem(error)} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button disabled={rows === 0 || undo.isPending} onClick={() => undo.mutate()} data-testid="undo-confirm">
          {what}
        </Button>
      </Group>
    </Dialog>
  );
}

function Told({ plan }: { plan: UndoView }) {
  const { t } = useTranslation();
  return (
    <>
      <ul className={styles.undo} data-testid="undo-plan">
        {kinds
          .filter((kind) => plan[kind] > 0)
          .map((kind) => (
            <li key={kind} data-testid={`undo-${kind}`}>
              {t(`decide.${kind}`, { count: plan[kind] })}
            </li>
          ))}
      </ul>
      {plan.told.length > 0 && (
        <section aria-label={t('decide.undoTold')}>
          <ul className={styles.undoTold}>
            {plan.told.slice(0, mostTold).map((row) => (
              <li key={`${row.sheet}:${String(row.row)}`}>
                <code>{row.key}</code> {row.reasons.join(' · ')}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
