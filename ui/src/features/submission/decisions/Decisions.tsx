import { Button, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { useImport } from '@/features/import-session';
import { type SubmissionView, commands } from '@/ipc/bindings';
import { useSteering } from '../common/useSubmission';
import { SendUnconfirmed } from './SendUnconfirmed';
import { UndoButton } from './UndoDialog';

/** What can be done about a submission that doesn't run: unconfirmed first, then what was rejected, then taking it back. */
export function Decisions({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { fixRejected } = useImport();
  const operation = useOperations().find((one) => one.id === submission.operation);
  const { findOut, busy, problem } = useSteering(submission.id);
  const { counts, id } = submission;
  const rejected = useQuery({
    queryKey: queryKeys.rejectedRows(id, counts.rejected),
    queryFn: () => commands.submissionRejected(id),
    enabled: counts.rejected > 0,
  });
  const undoable = useQuery({
    queryKey: queryKeys.undoableRows(id, counts.accepted),
    queryFn: () => commands.submissionUndoable(id),
    enabled: counts.accepted > 0 && submission.relation !== 'undo' && submission.state !== 'running',
  });
  if (submission.state === 'running') return null;
  return (
    <>
      {counts.unconfirmed > 0 && operation?.readBack && (
        <Tooltip label={t('decide.findOutHint')}>
          <Button size="xs" onClick={findOut} disabled={busy} data-testid="find-out">
            {t('decide.findOut')}
          </Button>
        </Tooltip>
      )}
      {counts.unconfirmed > 0 && <SendUnconfirmed submission={submission} />}
      {submission.file && (rejected.data ?? 0) > 0 && (
        <Button size="xs" variant="default" onClick={() => void fixRejected(submission)} data-testid="fix-rejected">
          {t('decide.fix', { count: rejected.data ?? 0 })}
        </Button>
      )}
      {counts.accepted > 0 && submission.relation !== 'undo' && (undoable.data ?? 0) > 0 && <UndoButton submission={submission} />}
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}
