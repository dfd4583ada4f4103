import { Button, Group, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDisclosure } from '@mantine/hooks';

import { useOperations } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { useImport } from '@/features/import-session';
import { commands, type ResultCounts, type SubmissionView } from '@/ipc/bindings';
import { useSiteName } from '@/components/marks/SiteName';
import { StartProblem } from '@/components/notices/StartProblem';
import { Dialog } from '@/components/page/Dialog';
import { useFormats } from '@/base/useFormats';

import { awaitsDecision, isBlocked } from '../common/approval';
import { useSubmissionControls } from '../common/useSubmission';
import { UndoButton } from './UndoDialog';
import styles from '../common/submission.module.css';

/** Sums over the unconfirmed rows. You can compare them with the service before you decide about all rows. */
function UnconfirmedTotals({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const { id, counts } = submission;
  const fields = useOperations().find((one) => one.id === submission.operation)?.request?.fields ?? [];
  const { data } = useQuery({
    queryKey: queryKeys.unconfirmedTotals(id, counts.unconfirmed),
    queryFn: () => commands.submissionUnconfirmedTotals(id),
  });
  if (!data) return null;
  const label = (member: string) => {
    const field = fields.find((one) => one.name === member);
    return field ? name(field) : member;
  };
  return (
    <div className={styles.sums} data-testid="unconfirmed-totals">
      <p id="unconfirmed-totals">{t('sendUnconfirmed.totals')}</p>
      <table aria-labelledby="unconfirmed-totals">
        <thead>
          <tr>
            {data.by.map((member) => (
              <th key={member}>{label(member)}</th>
            ))}
            <th>{t('sendUnconfirmed.rows')}</th>
            <th>{t('sendUnconfirmed.ifNot')}</th>
            <th>{t('sendUnconfirmed.ifArrived')}</th>
          </tr>
        </thead>
        <tbody>
          {data.totals.map((total) => (
            <tr key={total.by.join('\u001f')}>
              {total.by.map((value, at) => (
                <td key={data.by[at]}>{value}</td>
              ))}
              <td className="number">{number(total.rows)}</td>
              <td className="number">{number(total.ifNot ?? 0)}</td>
              <td className="number">{number(total.ifArrived ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {data.more > 0 && <p className="muted small">{t('sendUnconfirmed.more', { count: data.more })}</p>}
      {data.totals.some((total) => total.unknownBefore > 0) && (
        <p className="muted small">{t('sendUnconfirmed.unknownBefore')}</p>
      )}
    </div>
  );
}

/** Sends unconfirmed rows again. Asks for confirmation, because the service may already have accepted them. */
function SendUnconfirmedButton({ submission, first }: { submission: SubmissionView; first: boolean }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const [opened, { open, close }] = useDisclosure(false);
  const { sendUnconfirmed, decide, busy, problem } = useSubmissionControls(submission.id);
  const count = submission.counts.unconfirmed;
  const site = siteName(submission.site);
  return (
    <>
      <Button variant={first ? 'filled' : 'default'} size="xs" onClick={open} data-testid="send-unconfirmed">
        {t('sendUnconfirmed.open', { count })}
      </Button>
      {opened && (
        <Dialog title={t('sendUnconfirmed.title', { count, site })} close={close} wide>
          <p>{t('sendUnconfirmed.explain')}</p>
          <p>{t('sendUnconfirmed.advice')}</p>
          <UnconfirmedTotals submission={submission} />
          <StartProblem problem={problem} busy={busy} retry={() => sendUnconfirmed(false, close)} skipClaimed={() => sendUnconfirmed(true, close)} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button
              variant="default"
              disabled={busy}
              onClick={() => decide([], 'arrived', false, close)}
              data-testid="all-arrived"
            >
              {t('decide.arrivedAll')}
            </Button>
            <Button
              disabled={busy}
              onClick={() => sendUnconfirmed(false, close)}
              data-testid="send-unconfirmed-confirm"
            >
              {t('sendUnconfirmed.send', { count, site })}
            </Button>
          </Group>
        </Dialog>
      )}
    </>
  );
}

/** The recommended next action for a submission. */
type NextAction = 'continue' | 'look-up' | 'decide' | 'fix' | 'fix-skipped' | 'leave' | 'save';

/** Facts that the submission doesn't contain. */
type SubmissionFacts = {
  /** Whether unconfirmed rows can be read back. */
  readable: boolean;
  /** Whether the submission's import is still open. Then it can be closed for the next file. */
  open: boolean;
  /** The number of skipped rows that have errors and weren't sent later. */
  skippedErrors: number;
};

/**
 * Returns the highlighted action. Null while rows are sent, or if this user must approve them. Unconfirmed rows come before
 * rejected rows, and these before skipped rows.
 */
export function nextAction(submission: SubmissionView, { readable, open, skippedErrors }: SubmissionFacts): NextAction | null {
  const { state, counts, waiting, file } = submission;
  if (state === 'running' || state === 'preparing' || awaitsDecision(submission)) return null;
  if (submission.plantGone) return open ? 'leave' : 'save';
  if ((counts.pending > 0 || waiting > 0) && !isBlocked(submission)) return 'continue';
  if (counts.unconfirmed > 0) return readable ? 'look-up' : 'decide';
  if (counts.rejected > 0 && file !== '') return 'fix';
  if (skippedErrors > 0) return 'fix-skipped';
  return open ? 'leave' : 'save';
}

type Props = {
  submission: SubmissionView;
  /** Closes the submission's import, so that another file can be opened. Undefined if it isn't open. */
  leave?: (() => void) | undefined;
  save: () => void;
  saving: boolean;
};

/** A look-up of the unconfirmed rows: the counts before it and after it, and whether it has been seen running. */
type LookUp = { before: ResultCounts; hasBegun: boolean; after: ResultCounts | null };

/** Stores the result of a look-up, even if its rows are sent or decided later. The returned function starts a look-up. */
function useLookUp({ counts, state }: SubmissionView): [LookUp | null, () => void] {
  const [lookUp, setLookUp] = useState<LookUp | null>(null);
  if (lookUp !== null && lookUp.after === null) {
    const isRunning = state === 'running';
    // A short look-up may never be seen running. Then a changed number of unconfirmed rows shows that it has run.
    const hasRun = lookUp.hasBegun || counts.unconfirmed !== lookUp.before.unconfirmed;
    if (isRunning && !lookUp.hasBegun) setLookUp({ ...lookUp, hasBegun: true });
    if (!isRunning && hasRun) setLookUp({ ...lookUp, after: counts });
  }
  return [lookUp, () => setLookUp({ before: counts, hasBegun: false, after: null })];
}

/** Shows the result of a look-up of the unconfirmed rows. */
function LookUpResult({ before, after }: { before: ResultCounts; after: ResultCounts }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const part = (key: 'decide.foundAccepted' | 'headline.rejected' | 'decide.foundMissing' | 'decide.foundNothing', count: number) =>
    count > 0 && t(key, { count, number: number(count) });
  const parts = [
    part('decide.foundAccepted', after.accepted - before.accepted),
    part('headline.rejected', after.rejected - before.rejected),
    part('decide.foundMissing', after.pending - before.pending),
    part('decide.foundNothing', after.unconfirmed),
  ].filter((one) => one !== false);
  return (
    <p role="status" data-testid="look-up-result">
      {t('decide.found', { count: before.unconfirmed, number: number(before.unconfirmed), parts: parts.join(', ') })}
    </p>
  );
}

/**
 * Actions for a submission that isn't running: unconfirmed rows first, then rejected rows, then undo. The next action is
 * highlighted.
 */
export function Decisions({ submission, leave, save, saving }: Props) {
  const { t } = useTranslation();
  const { fixRejected, fixSkipped } = useImport();
  const operation = useOperations().find((one) => one.id === submission.operation);
  const { readBack, busy, problem } = useSubmissionControls(submission.id);
  const { counts, id } = submission;
  const [lookUp, startLookUp] = useLookUp(submission);
  const rejected = useQuery({
    queryKey: queryKeys.rejectedRows(id, counts.rejected),
    queryFn: () => commands.submissionRejected(id),
    staleTime: 0,
    enabled: counts.rejected > 0,
  });
  const undoable = useQuery({
    queryKey: queryKeys.undoableRows(id, counts.accepted),
    queryFn: () => commands.submissionUndoable(id),
    // Another submission, such as an undo, changes these numbers.
    staleTime: 0,
    enabled: counts.accepted > 0 && submission.relation !== 'undo' && submission.state !== 'running',
  });
  const readable = !!operation?.readBack;
  // Rejected rows may have been sent again. Until that is known, the button is shown for all of them.
  const toFix = counts.rejected > 0 ? (rejected.data ?? counts.rejected) : 0;
  const skipped = useQuery({
    queryKey: queryKeys.skippedRows(id, counts.skipped),
    queryFn: () => commands.submissionSkipped(id),
    staleTime: 0,
    enabled: counts.skipped > 0 && counts.pending === 0 && submission.file !== '',
  });
  const skippedErrors = skipped.data ?? 0;
  const next = nextAction({ ...submission, counts: { ...counts, rejected: toFix } }, { readable, open: leave !== undefined, skippedErrors });
  const isChangeable = submission.state !== 'running' && !submission.plantGone;
  const undo = counts.accepted > 0 && submission.relation !== 'undo' ? (undoable.data ?? 0) : 0;
  return (
    <>
      {isChangeable && counts.unconfirmed > 0 && readable && (
        <Tooltip label={t('decide.findOutHint')}>
          <Button size="xs" variant={next === 'look-up' ? 'filled' : 'default'} onClick={() => readBack(startLookUp)} disabled={busy} data-testid="find-out">
            {t('decide.findOut')}
          </Button>
        </Tooltip>
      )}
      {isChangeable && counts.unconfirmed > 0 && <SendUnconfirmedButton submission={submission} first={next === 'decide'} />}
      {isChangeable && submission.file && toFix > 0 && (
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
      {isChangeable && skippedErrors > 0 && (
        <Button size="xs" variant={next === 'fix-skipped' ? 'filled' : 'default'} onClick={() => void fixSkipped(submission)} data-testid="fix-skipped">
          {t('decide.fixSkipped', { count: skippedErrors })}
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
      {isChangeable && undo > 0 && <UndoButton submission={submission} />}
      {lookUp?.after && <LookUpResult before={lookUp.before} after={lookUp.after} />}
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}
