import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState, useUpdate } from '@/base/appState';
import { runGuarded } from '@/base/guard';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { StartProblem } from '@/components/notices/StartProblem';
import { countProgress } from '@/features/submission';
import { type SalvageView, type SubmissionView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from './shell.module.css';

/**
 * Shows notices above the page: interrupted submissions, replaced files, a practice plant that failed to start, a newer version.
 */
export function Notices() {
  const { t } = useTranslation();
  const { data, error } = useAppState();
  const { place } = useNavigation();
  const [dismissedIds, setDismissedIds] = useState<readonly number[]>([]);
  useRefetchFailed(error !== null);
  if (!data) return error && <ProblemNote problem={toProblem(error)} />;
  const visibleSubmissions = data.interrupted.filter(
    (one) => !dismissedIds.includes(one.id) && !(place.page === 'history' && place.submission === one.id),
  );
  return (
    <div className={styles.notices}>
      {!data.practiceReady && (
        <div className={styles.notice} role="status">
          <p>{t('notice.noPractice')}</p>
        </div>
      )}
      {data.salvages.map((one) => (
        <SalvageNotice key={`${one.file} ${one.at}`} salvage={one} />
      ))}
      {visibleSubmissions.slice(0, 2).map((one) => (
        <InterruptedNotice key={one.id} submission={one} dismiss={() => setDismissedIds([...dismissedIds, one.id])} />
      ))}
      {place.page !== 'settings' && <NewVersionNotice />}
    </div>
  );
}

/** Refetches failed queries as soon as the app state can be read. */
function useRefetchFailed(failed: boolean): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (!failed) return undefined;
    return () => void queries.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
  }, [failed, queries]);
}

/** Shows that a damaged file was replaced, until the notice is closed. */
function SalvageNotice({ salvage }: { salvage: SalvageView }) {
  const { t } = useTranslation();
  const { dateTime, number } = useFormats();
  const queries = useQueryClient();
  const acknowledge = useMutation({ mutationFn: () => commands.salvagesAcknowledge(), onSuccess: () => queries.invalidateQueries() });
  const { counts, file } = salvage;
  const rows = salvage.missingRows.reduce((sum, [, count]) => sum + count, 0);
  const outcomeKey = counts?.recovered === 0 && file !== 'preferences' ? (`${file}Nothing` as const) : file;
  const key = salvage.backupAt === null ? outcomeKey : (`${file}Backup` as const);
  return (
    <section className={styles.notice} aria-label={t('notice.damaged')} data-testid="salvaged">
      <p>
        {t(`notice.salvaged.${key}`, {
          file: salvage.damagedFile,
          at: salvage.backupAt === null ? '' : dateTime(salvage.backupAt),
        })}
        {counts !== null && file !== 'preferences'
          ? ` ${t(`notice.salvaged.${file}Counts${counts.lost === null ? 'Unknown' : ''}`, {
              recovered: number(counts.recovered),
              rows: number(counts.rows),
              missing: number(counts.lostRows),
              lost: number(counts.lost ?? 0),
            })}`
          : rows > 0 && ` ${t('notice.salvaged.missing', { rows: number(rows) })}`}
      </p>
      <Button size="xs" onClick={() => acknowledge.mutate()} loading={acknowledge.isPending} data-testid="salvaged-seen">
        {t('notice.salvaged.seen')}
      </Button>
    </section>
  );
}

function InterruptedNotice({ submission, dismiss }: { submission: SubmissionView; dismiss: () => void }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const site = useSiteName();
  const { go } = useNavigation();
  const openSubmission = () => go({ page: 'history', submission: submission.id });
  const resume = useMutation({
    mutationFn: (skipClaimed: boolean) =>
      runGuarded((confirmed) => commands.submissionResume(submission.id, confirmed, skipClaimed)),
    onSuccess: openSubmission,
  });
  const { done, toSend } = countProgress(submission.counts);
  return (
    <section className={styles.notice} aria-label={t('notice.interrupted')} data-testid="interrupted">
      <p>
        {t('notice.stands', { count: toSend, site: site(submission.site), done: number(done), total: number(toSend) })}
      </p>
      <Button size="xs" onClick={() => resume.mutate(false)} loading={resume.isPending} data-testid="interrupted-go-on">
        {t('submission.goOn')}
      </Button>
      <Button size="xs" variant="default" onClick={openSubmission} data-testid="interrupted-look">
        {t('notice.look')}
      </Button>
      <Button size="xs" variant="subtle" onClick={dismiss}>
        {t('notice.later')}
      </Button>
      <StartProblem
        problem={resume.error && toProblem(resume.error)}
        busy={resume.isPending}
        retry={() => resume.mutate(false)}
        skipClaimed={() => resume.mutate(true)}
      />
    </section>
  );
}

/** Announces a newer version found by the daily check, once per version. */
function NewVersionNotice() {
  const { t } = useTranslation();
  const { data } = useUpdate();
  const { go } = useNavigation();
  const queries = useQueryClient();
  const dismiss = useMutation({
    mutationFn: () => commands.updateDismiss(),
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.updates }),
  });
  if (!data?.newer || data.dismissed || dismiss.isSuccess) return null;
  const openAbout = () => {
    dismiss.mutate();
    go({ page: 'settings', about: true });
  };
  return (
    <section className={styles.notice} data-quiet aria-label={t('update.title')} data-testid="update-notice">
      <p>{t('update.newer', { version: data.newer.version })}</p>
      <Button size="xs" variant="default" onClick={openAbout} data-testid="update-notice-look">
        {t('notice.look')}
      </Button>
      <Button size="xs" variant="subtle" onClick={() => dismiss.mutate()} disabled={dismiss.isPending} data-testid="update-notice-dismiss">
        {t('update.dismiss')}
      </Button>
    </section>
  );
}
