import { useId } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { useSiteName } from '@/components/marks/SiteName';
import type { ApprovalView, SubmissionView } from '@/ipc/bindings';
import { isFirstStart } from '../common/approval';
import { ApprovalRows } from './ApprovalRows';
import { DecisionForm } from './DecisionForm';
import styles from './approval.module.css';

type Props = { submission: SubmissionView };
type AskedProps = Props & { approval: ApprovalView };

/** A submission's approval: the request and decision, or the form if this user decides. */
export function ApprovalPanel({ submission }: Props) {
  const { approval } = submission;
  if (!approval) return null;
  return approval.decision === null ? <Waiting submission={submission} approval={approval} /> : <Decided submission={submission} approval={approval} />;
}

function Waiting({ submission, approval }: AskedProps) {
  const { t } = useTranslation();
  const { moment, number } = useFormats();
  const title = useId();
  const { rows, deletes, isOwn, asked, askedBy } = approval;
  const site = useSiteName()(submission.site);
  const values = { count: rows, rows: number(rows), site, at: moment(asked), person: askedBy };
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

function Decided({ submission, approval }: AskedProps) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  const title = useId();
  const { decision, decided, decidedBy, note } = approval;
  const canSend = isFirstStart(submission) && submission.counts.pending > 0 && submission.state === 'paused';
  return (
    <section className={styles.panel} aria-labelledby={title} data-testid="approval" data-state={decision}>
      <h2 id={title}>{t('approval.title')}</h2>
      <p role="status">
        {t(decision === 'approved' ? 'approval.approvedBy' : 'approval.declinedBy', { person: decidedBy ?? '', at: moment(decided ?? '') })}
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
