import { Button, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { useImport } from '@/features/import-session';
import { type SubmissionView, commands } from '@/ipc/bindings';
import { nextAction } from '../common/nextAction';
import { useSteering } from '../common/useSubmission';
import { SendUnconfirmed } from './SendUnconfirmed';
import { UndoButton } from './UndoDialog';

type Props = {
  submission: SubmissionView;
  /** Leaves the import that it was made of for another file, where that is still open. */
  leave?: (() => void) | undefined;
  save: () => void;
  saving: boolean;
};

/** What can be done about a submission that doesn't run, the next thing to do filled: unconfirmed first, then what was rejected; undoing comes last. */
export function Decisions({ submission, leave, save, saving }: Props) {
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
  const readable = !!operation?.readBack;
  // Some of them may have been sent again since; until that is known the button keeps its place.
  const toFix = counts.rejected > 0 ? (rejected.data ?? counts.rejected) : 0;
  const next = nextAction({ ...submission, counts: { ...counts, rejected: toFix } }, { readable, open: leave !== undefined });
  const still = submission.state !== 'running';
  const undo = counts.accepted > 0 && submission.relation !== 'undo' ? (undoable.data ?? 0) : 0;
  return (
    <>
      {still && counts.unconfirmed > 0 && readable && (
        <Tooltip label={t('decide.findOutHint')}>
          <Button size="xs" variant={next === 'look-up' ? 'filled' : 'default'} onClick={findOut} disabled={busy} data-testid="find-out">
            {t('decide.findOut')}
          </Button>
        </Tooltip>
      )}
      {still && counts.unconfirmed > 0 && <SendUnconfirmed submission={submission} first={next === 'decide'} />}
      {still && submission.file && toFix > 0 && (
        <Button
          size="xs"
          variant={next === 'fix' ? 'filled' : 'default'}
          disabled={rejected.isPending}
          onClick={() => void fixRejected(submission)}
          data-testid="fix-rejected"
        >
          {t('decide.fix', { count: toFix })}
        </Button>
      )}
      {leave && (
        <Button size="xs" variant={next === 'leave' ? 'filled' : 'default'} onClick={leave} data-testid="new-import">
          {t('import.again')}
        </Button>
      )}
      <Button size="xs" variant={next === 'save' ? 'filled' : 'default'} onClick={save} disabled={saving} data-testid="save-results">
        {t('submission.save')}
      </Button>
      {still && undo > 0 && <UndoButton submission={submission} rows={undo} />}
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}
