import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { runGuarded } from '@/base/guard';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { StartProblem } from '@/components/notices/StartProblem';
import { Dialog } from '@/components/page/Dialog';
import { type SubmissionView, type UndoView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { storePlan } from '../common/usePlan';
import { useSubmissionCountLabel } from '../common/useSubmissionCountLabel';
import styles from '../common/submission.module.css';

const UNDO_KINDS = ['restored', 'same', 'changedSince', 'created', 'deleted', 'unknown'] as const;
const MAX_LISTED_ROWS = 8;

/** A button that undoes the accepted rows whose previous values are known. */
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

/** Shows which rows can be undone and which can't. Confirming sends the previous values as a new submission. */
function UndoDialog({ submission, close }: { submission: SubmissionView; close: () => void }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const site = useSiteName()(submission.site);
  const { id } = submission;
  const rowCountLabel = useSubmissionCountLabel(submission);
  const plan = useQuery({ queryKey: queryKeys.undoPlan(id), queryFn: () => commands.submissionUndoPlan(id), gcTime: 0, staleTime: 0, retry: false });
  const rows = plan.data?.restored ?? 0;
  const buttonLabel = t('decide.undoDo', { count: rows, things: rowCountLabel(rows), site });
  const undo = useMutation({
    mutationFn: (skipClaimed: boolean) => runGuarded((confirmed) => commands.submissionUndo(id, confirmed, skipClaimed), buttonLabel),
    onSuccess: (made) => {
      storePlan(made);
      close();
      go({ page: 'history', submission: made.id });
    },
  });
  return (
    <Dialog title={t('decide.undoTitle', { id, site })} close={close}>
      {plan.isPending && <p className="muted">{t('decide.undoLooks')}</p>}
      {plan.data && <UndoRow plan={plan.data} rowCountLabel={rowCountLabel} />}
      {plan.data && rows === 0 && <p data-testid="undo-nothing">{t('decide.undoNothing')}</p>}
      {plan.error ? (
        <ProblemNote problem={toProblem(plan.error)} />
      ) : (
        <StartProblem
          problem={undo.error && toProblem(undo.error)}
          busy={undo.isPending}
          retry={() => undo.mutate(false)}
          skipClaimed={() => undo.mutate(true)}
        />
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        {rows > 0 && (
          <Button disabled={undo.isPending} onClick={() => undo.mutate(false)} data-testid="undo-confirm">
            {buttonLabel}
          </Button>
        )}
      </Group>
    </Dialog>
  );
}

function UndoRow({ plan, rowCountLabel }: { plan: UndoView; rowCountLabel: (count: number) => string }) {
  const { t } = useTranslation();
  return (
    <>
      <ul className={styles.undo} data-testid="undo-plan">
        {UNDO_KINDS
          .filter((kind) => plan[kind] > 0)
          .map((kind) => (
            <li key={kind} data-testid={`undo-${kind}`}>
              {t(`decide.${kind}`, { count: plan[kind], things: rowCountLabel(plan[kind]) })}
            </li>
          ))}
      </ul>
      {plan.told.length > 0 && (
        <section aria-label={t('decide.undoTold')}>
          <ul className={styles.undoTold}>
            {plan.told.slice(0, MAX_LISTED_ROWS).map((row) => (
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
