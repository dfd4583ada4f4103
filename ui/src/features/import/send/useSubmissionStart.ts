import { useMutation } from '@tanstack/react-query';

import { runGuarded } from '@/base/guard';
import { isKeysClaimed } from '@/components/notices/StartProblem';
import { useImport } from '@/features/import-session';
import { storePlan } from '@/features/submission';
import { type ImportView, type PreviewChoice, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

import { isUndecided, skippedCount } from '../preview/previewKinds';
import { useCurrentPreview } from '../preview/usePreview';

/**
 * Returns how the preview affects sending: the choice for the engine, whether a decision is missing, and the number of rows that
 * won't be sent.
 */
export function usePreviewOutcome(view: ImportView): { choiceMade: PreviewChoice | null; isDecisionMissing: boolean; skippedRows: number } {
  const { choice } = useImport();
  const preview = useCurrentPreview(view);
  if (!preview) return { choiceMade: null, isDecisionMissing: false, skippedRows: 0 };
  return { choiceMade: choice, isDecisionMissing: isUndecided(preview, choice), skippedRows: skippedCount(preview, choice) };
}

/** A request to send. `label` is the button's label, and `trial` the number of rows of a trial run, null to send all rows. */
type SendRequest = { label: string; trial?: number | null; skipClaimed?: boolean };

type Options = {
  /** The number of entries per request, null for the default. */
  batchSize?: number | null;
  onStarted?: () => void;
  /** Called if a colleague is sending some of the rows. */
  onClaimed?: () => void;
};

/** Starts a submission of the import. The guard asks for the name of a production site first. */
export function useSubmissionStart(view: ImportView, { batchSize = null, onStarted, onClaimed }: Options = {}) {
  const { markSent, follows } = useImport();
  const { choiceMade } = usePreviewOutcome(view);
  const start = useMutation({
    mutationFn: ({ label, trial = null, skipClaimed = false }: SendRequest) =>
      runGuarded((confirmed) => {
        // The engine refuses to send to a site other than this one, for which the rows were checked.
        const there = view.destination?.site ?? '';
        const skip = { errors: view.totals.errorRows > 0, claimed: skipClaimed };
        return commands.submissionStart(view.id, there, skip, confirmed, choiceMade, { trial, follows, batchSize });
      }, label),
    onSuccess: (made) => {
      storePlan(made);
      markSent(made.id);
      onStarted?.();
    },
    onError: (cause) => {
      if (isKeysClaimed(toProblem(cause))) onClaimed?.();
    },
  });
  const { variables, mutate, isPending, error } = start;
  return {
    start: mutate,
    isStarting: isPending,
    error,
    /** Repeats the last request. */
    retry: () => variables && mutate(variables),
    /** Repeats the last request without the rows that a colleague is sending. */
    skipClaimed: () => variables && mutate({ ...variables, skipClaimed: true }),
  };
}
