import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { useSiteName } from '@/components/marks/SiteName';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { useImport } from '@/features/import-session';
import { awaitsDecision, countProgress, isBlocked } from '@/features/submission';
import { commands, type RecentFileView, type SubmissionView } from '@/ipc/bindings';
import { Dialog } from '@/components/page/Dialog';

import { useDraftSummary } from '../common/useDraftSummary';
import styles from './start.module.css';

type Props = { file: string; summary: string; keep: () => void; discard: () => void };

/** Confirms discarding a draft, which can't be undone. */
function DiscardDraftDialog({ file, summary, keep, discard }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog title={t('home.discardTitle', { file })} close={keep}>
      <p>{t('home.discardExplain', { what: summary })}</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={keep} data-autofocus data-testid="draft-keep">
          {t('home.keep')}
        </Button>
        <Button color="red" onClick={discard} data-testid="draft-discard-do">
          {t('home.discard')}
        </Button>
      </Group>
    </Dialog>
  );
}

/** Lists unfinished work: submissions that need a decision, then drafts. */
export function UnfinishedWork({ drafts }: { drafts: readonly RecentFileView[] }) {
  const { t } = useTranslation();
  const submissions = useOpenSubmissions();
  if (drafts.length === 0 && submissions.length === 0) return null;
  return (
    <section aria-labelledby="open-work">
      <h2 id="open-work">{t('home.goOn')}</h2>
      <ul className={styles.work}>
        {submissions.map((one) => (
          <OpenSubmission key={one.id} submission={one} />
        ))}
        {drafts.map((file) => (
          <DraftRow key={file.hash} file={file} />
        ))}
      </ul>
    </section>
  );
}

/** Returns the submissions that need a decision, except those shown in the window's notices. */
function useOpenSubmissions(): SubmissionView[] {
  const { data: app } = useAppState();
  const { data } = useQuery({ queryKey: queryKeys.submissions, queryFn: () => commands.submissionList() });
  const interruptedIds = app?.interrupted.map((one) => one.id) ?? [];
  return data?.filter((one) => needsDecision(one) && !interruptedIds.includes(one.id)) ?? [];
}

/** Whether a submission needs a decision that is still possible. Approvals are shown in the top bar instead. */
function needsDecision(submission: SubmissionView): boolean {
  if (submission.plantGone) return false;
  return submission.counts.unconfirmed > 0 || (submission.state === 'paused' && !awaitsDecision(submission));
}

function OpenSubmission({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { number, recentDateTime } = useFormats();
  const site = useSiteName();
  const { counts, total } = submission;
  const { done, toSend } = countProgress(counts);
  const summary =
    counts.unconfirmed > 0
      ? t('home.unconfirmed', { count: counts.unconfirmed, number: number(counts.unconfirmed) })
      : t('home.paused', { done: number(done), count: toSend, total: number(toSend) });
  return (
    <li>
      <span className={styles.name}>{submission.file || submission.operation}</span>
      <span className={styles.state}>
        {isBlocked(submission)
          ? t('home.approval', { count: total, number: number(total), site: site(submission.site), when: recentDateTime(submission.started) })
          : `${summary} ${t('home.startedFor', { site: site(submission.site), when: recentDateTime(submission.started) })}`}
      </span>
      <Button size="compact-sm" onClick={() => go({ page: 'history', submission: submission.id })} data-testid="open-submission">
        {t('home.openResults')}
      </Button>
    </li>
  );
}

function DraftRow({ file }: { file: RecentFileView }) {
  const { t } = useTranslation();
  const { recentDateTime } = useFormats();
  const { openRecent, busy } = useImport();
  const draftSummary = useDraftSummary();
  const queries = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  if (file.draft === null) return null;
  const summary = draftSummary(file.draft) || t('home.choices');
  const discard = () => {
    setConfirming(false);
    void commands.recentForget(file.hash).catch(showProblemNotice).then(() => queries.invalidateQueries({ queryKey: queryKeys.recentFiles }));
  };
  return (
    <li>
      <span className={styles.name} title={file.folder}>
        {file.file}
      </span>
      <span className={styles.state} data-testid="draft-words">
        {t('home.draft', { what: summary, when: recentDateTime(file.draft.changed) })}
        {file.state === 'changed' && ` ${t('home.changed')}`}
        {file.state === 'missing' && ` ${t('home.gone', { folder: file.folder })}`}
      </span>
      <Button size="compact-sm" onClick={() => void openRecent(file.hash)} disabled={busy || file.state === 'missing'} data-testid="draft-go-on">
        {t('home.continue')}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={() => setConfirming(true)} data-testid="draft-discard">
        {t('home.discard')}
      </Button>
      {isConfirming && <DiscardDraftDialog file={file.file} summary={summary} keep={() => setConfirming(false)} discard={discard} />}
    </li>
  );
}
