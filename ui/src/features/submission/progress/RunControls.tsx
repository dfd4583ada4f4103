import { Button, Progress } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { FixedWidthLabel } from '@/components/controls/FixedWidthLabel';
import { SiteLabel } from '@/components/marks/SiteName';
import { StartProblem } from '@/components/notices/StartProblem';
import type { SubmissionView } from '@/ipc/bindings';
import { isFirstStart } from '../common/approval';
import { countProgress } from '../common/results';
import { canResume, useSubmissionControls } from '../common/useSubmission';
import styles from '../common/submission.module.css';

/** Pause, resume and stop buttons, with progress, speed and remaining time. */
export function RunControls({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { pause, stop, resume, busy, problem } = useSubmissionControls(submission.id);
  const { counts, state } = submission;
  const { done, toSend } = countProgress(counts);
  // A later step of a plan is also paused, but only until it starts.
  const isTrialDone = submission.trial !== null && state === 'paused' && (done > 0 || submission.trial === 0);
  const amount = t('submission.amount', { count: toSend, done: number(done), total: number(toSend) });
  return (
    <section className={styles.transport} aria-label={t('submission.transport')}>
      <div className={styles.buttons}>
        {canResume(submission) ? (
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            onClick={() => resume(false)}
            disabled={busy}
            data-testid="resume"
          >
            <FixedWidthLabel label={t(isFirstStart(submission) ? 'approval.send' : 'submission.goOn')} other={t('submission.pause')} />
          </Button>
        ) : (
          <Button
            variant="default"
            leftSection={<IconPlayerPause size={16} aria-hidden />}
            onClick={pause}
            disabled={busy || state !== 'running'}
            data-testid="pause"
          >
            <FixedWidthLabel label={t('submission.pause')} other={t('submission.goOn')} />
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<IconPlayerStop size={16} aria-hidden />}
          onClick={stop}
          disabled={busy || (state !== 'running' && state !== 'paused')}
          data-testid="stop"
        >
          {t('submission.stop')}
        </Button>
        <SiteLabel name={submission.site} />
        <span className={styles.state} data-testid="submission-state" data-state={state}>
          {submission.findingOut ? t('decide.findingOut') : t(`submission.states.${state}`)}
        </span>
      </div>
      <Progress
        value={toSend === 0 ? 0 : (done / toSend) * 100}
        size="sm"
        aria-label={amount}
        data-testid="progress"
      />
      <p className={styles.pace}>
        <b className="number">{amount}</b>
        <SendingSpeed submission={submission} />
      </p>
      {isTrialDone && <p data-testid="tried">{t('decide.tried', { count: counts.pending, rows: number(counts.pending) })}</p>}
      <StartProblem problem={problem} busy={busy} retry={() => resume(false)} skipClaimed={() => resume(true)} />
    </section>
  );
}

function SendingSpeed({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { decimal, duration, dateTime, number } = useFormats();
  const { rate, remainingSeconds, waitingUntil, state, seconds, requests } = submission;
  return (
    <>
      {rate !== null && <span className="muted number">{t('submission.rate', { rate: decimal(Math.round(rate * 10) / 10) })}</span>}
      {state === 'running' && remainingSeconds !== null && (
        <span className="muted number">{t('submission.remaining', { time: duration(remainingSeconds) })}</span>
      )}
      {state !== 'running' && seconds !== null && (
        <span className="muted number">
          {t('submission.took', { count: requests, time: duration(seconds), requests: number(requests) })}
        </span>
      )}
      {waitingUntil && <span className={styles.waits}>{t('submission.waits', { time: dateTime(waitingUntil) })}</span>}
    </>
  );
}
