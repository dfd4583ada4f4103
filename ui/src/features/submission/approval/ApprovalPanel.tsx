import { Button, Group, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { type ApprovalDecision, type ApprovalView, type SubmissionView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { isFirstStart } from '../common/approval';
import { refreshPlan, storePlan } from '../common/usePlan';
import { ApprovalRows } from './ApprovalRows';
import styles from './approval.module.css';

type Props = { submission: SubmissionView };
type ApprovalProps = Props & { approval: ApprovalView };

/** A submission's approval: the request and the decision, or a form if this user decides. */
export function ApprovalPanel({ submission }: Props) {
  const { approval } = submission;
  if (!approval) return null;
  return approval.decision === null ? <PendingApproval submission={submission} approval={approval} /> : <DecidedApproval submission={submission} approval={approval} />;
}

/** Maximum length of a note, as in the engine. */
const MAX_NOTE_LENGTH = 1000;

/** Approves or declines a whole plan, or withdraws the request. Nothing is sent here. */
function DecisionForm({ submission, approval }: { submission: SubmissionView; approval: ApprovalView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const site = useSiteName()(submission.site);
  const queries = useQueryClient();
  const [note, setNote] = useState('');
  const [isConfirming, { open, close }] = useDisclosure(false);
  const decide = useMutation({
    mutationFn: (decision: ApprovalDecision) => commands.approvalDecide(submission.id, decision, note),
    onSuccess: storePlan,
    onError: () => {
      // If the command fails, another user may already have decided.
      void queries.invalidateQueries({ queryKey: queryKeys.submission(submission.id) });
      refreshPlan(submission.plan);
    },
    onSettled: () => {
      close();
      void queries.invalidateQueries({ queryKey: queryKeys.approvals });
    },
  });
  const { isOwn } = approval;
  const decline = t(isOwn ? 'approval.withdrawTitle' : 'approval.declineTitle', { count: approval.rows, rows: number(approval.rows), site });
  return (
    <div className={styles.decision}>
      {!isOwn && (
        <Textarea
          label={t('approval.note')}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
          maxLength={MAX_NOTE_LENGTH}
          rows={2}
          data-testid="approval-note"
        />
      )}
      {decide.error && <ProblemNote problem={toProblem(decide.error)} />}
      <Group gap={8}>
        {!isOwn && (
          <Button onClick={() => decide.mutate('approved')} disabled={decide.isPending} data-testid="approval-approve">
            {t('approval.approve')}
          </Button>
        )}
        <Button variant="default" onClick={open} disabled={decide.isPending} data-testid="approval-decline">
          {t(isOwn ? 'approval.withdrawOpen' : 'approval.declineOpen')}
        </Button>
      </Group>
      {isConfirming && (
        <Dialog title={decline} close={close}>
          <p>{t(isOwn ? 'approval.withdrawWhat' : 'approval.declineWhat')}</p>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button color="red" onClick={() => decide.mutate('declined')} disabled={decide.isPending} data-testid="approval-decline-confirm">
              {t(isOwn ? 'approval.withdraw' : 'approval.decline')}
            </Button>
          </Group>
        </Dialog>
      )}
    </div>
  );
}

function PendingApproval({ submission, approval }: ApprovalProps) {
  const { t } = useTranslation();
  const { dateTime, number } = useFormats();
  const title = useId();
  const { rows, deletes, isOwn, asked, askedBy } = approval;
  const site = useSiteName()(submission.site);
  const values = { count: rows, rows: number(rows), site, at: dateTime(asked), person: askedBy };
  return (
    <section className={styles.panel} aria-labelledby={title} data-testid="approval" data-state={isOwn ? 'own' : 'waiting'}>
      <h2 id={title}>{t(isOwn ? 'approval.waitsForOther' : 'approval.waitsForYou')}</h2>
      <p role="status">{t(isOwn ? 'approval.askedByYou' : 'approval.asked', values)}</p>
      {deletes && (
        <p className={styles.deletes} data-testid="approval-deletes">
          {t('approval.deletes', { site })}
        </p>
      )}
      {!isOwn && <ApprovalRows plan={submission.plan} />}
      <DecisionForm submission={submission} approval={approval} />
    </section>
  );
}

function DecidedApproval({ submission, approval }: ApprovalProps) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  const title = useId();
  const { decision, decided, decidedBy, note } = approval;
  const canSend = isFirstStart(submission) && submission.counts.pending > 0 && submission.state === 'paused';
  return (
    <section className={styles.panel} aria-labelledby={title} data-testid="approval" data-state={decision}>
      <h2 id={title}>{t('approval.title')}</h2>
      <p role="status">
        {t(decision === 'approved' ? 'approval.approvedBy' : 'approval.declinedBy', { person: decidedBy ?? '', at: dateTime(decided ?? '') })}
        {canSend && ` ${t('approval.mayBeSent')}`}
      </p>
      {note && (
        <blockquote className={styles.note} data-testid="approval-note-said">
          {note}
        </blockquote>
      )}
    </section>
  );
}
