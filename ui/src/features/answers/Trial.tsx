import { Button, Checkbox, Progress } from '@mantine/core';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ruleFaultText } from '@/base/engineTexts';
import { useNavigation } from '@/base/navigation';
import { useEventTitle } from '@/base/useEventTitle';
import { useFormats } from '@/base/useFormats';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type RuleTrial, type Rules, type Trial, type TrialChange, type TrialProgress, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { nextTicket } from '@/ipc/tickets';
import { AnswerMark } from './AnswerMark';
import type { RulesDraft } from './useRules';
import styles from './answers.module.css';

type RunningTrial = { ticket: number; progress: TrialProgress | null };
/** The result of a trial, and the rules that were tried. The draft may have changed since. */
type FinishedTrial = { trial: Trial; rules: Rules };

type TrialState = {
  finished: FinishedTrial | null;
  running: RunningTrial | null;
  start: (withOthers: boolean) => void;
  stop: () => void;
};

/** Runs a trial of the edited rules. Leaving the page stops it. */
function useTrial({ rules, recheck }: RulesDraft): TrialState {
  const [finished, setFinished] = useState<FinishedTrial | null>(null);
  const [running, setRunning] = useState<RunningTrial | null>(null);
  const ticket = running?.ticket;
  const start = useCallback(
    (withOthers: boolean) => {
      const newTicket = nextTicket();
      setRunning({ ticket: newTicket, progress: null });
      const channel = createChannel<TrialProgress>((progress) => setRunning((now) => now && { ...now, progress }));
      commands
        .rulesTry(rules, withOthers, newTicket, channel)
        .then((trial) => setFinished({ trial, rules }))
        .then(recheck)
        .catch(showProblemNotice)
        .finally(() => setRunning(null));
    },
    [rules, recheck],
  );
  const stop = useCallback(() => {
    if (ticket !== undefined) void commands.ticketStop(ticket).catch(() => undefined);
  }, [ticket]);
  useEffect(() => stop, [stop]);
  return { finished, running, start, stop };
}

/** Tries the edited rules on past events. */
export function TrialSection({ draft }: { draft: RulesDraft }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [withOthers, setWithOthers] = useState(false);
  const { finished, running, start, stop } = useTrial(draft);
  const hasActiveRule = draft.rules.rules.some((rule) => rule.on);
  const progress = running?.progress;
  return (
    <section className={styles.trial} aria-label={t('answers.trial')}>
      <header className={styles.row}>
        {running ? (
          <Button variant="default" onClick={stop} data-testid="trial-stop">
            {t('answers.stop')}
          </Button>
        ) : (
          <Button variant="light" color="petrol" onClick={() => start(withOthers)} disabled={!hasActiveRule} data-testid="trial-start">
            {t('answers.try')}
          </Button>
        )}
        <Checkbox size="xs" label={t('answers.others')} checked={withOthers} onChange={(event) => setWithOthers(event.currentTarget.checked)} />
        {!hasActiveRule && <span className="muted small">{t('answers.tryNeedsOn')}</span>}
      </header>
      {running && (
        <div role="status">
          <Progress value={progress ? (100 * progress.tried) / Math.max(1, progress.of) : 0} aria-label={t('answers.trial')} />
          {progress && <p className="small number">{t('answers.progress', { count: progress.of, tried: number(progress.tried), of: number(progress.of) })}</p>}
        </div>
      )}
      {finished && !running && <TrialOutcome trial={finished.trial} stale={finished.rules !== draft.rules} />}
    </section>
  );
}

function TrialOutcome({ trial, stale: isOutdated }: { trial: Trial; stale: boolean }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const failed = trial.rules.filter((rule) => rule.failed > 0);
  if (trial.of === 0) {
    return (
      <p role="status" data-testid="trial-none">
        {t('answers.noneCame')}
      </p>
    );
  }
  return (
    <div role="status" data-testid="trial" className={isOutdated ? styles.stale : undefined}>
      {isOutdated && <p className="muted small">{t('answers.stale')}</p>}
      {trial.stopped && <p>{t('answers.stopped')}</p>}
      <p className={styles.counts}>
        <span>{t('answers.tried', { count: trial.of, tried: number(trial.tried), of: number(trial.of) })}</span>
        <span>{t('answers.countAllowed', { amount: number(trial.allowed) })}</span>
        <span>{t('answers.countRefused', { amount: number(trial.refused) })}</span>
        {trial.failed > 0 && <span className={styles.bad}>{t('answers.countFailed', { amount: number(trial.failed) })}</span>}
        <strong data-testid="trial-changed">{t('answers.countChanged', { amount: number(trial.changed) })}</strong>
      </p>
      {failed.map((rule) => (
        <FailedRule key={rule.name} rule={rule} />
      ))}
      {trial.changes.length > 0 && (
        <ul className={styles.changes}>
          {trial.changes.map((change) => (
            <ChangedAnswer key={change.line.id} change={change} />
          ))}
        </ul>
      )}
    </div>
  );
}

function FailedRule({ rule }: { rule: RuleTrial }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <p className={styles.bad}>
      <span aria-hidden>▲</span> {t('answers.ruleFailed', { count: rule.failed, rule: rule.name, amount: number(rule.failed) })} {rule.fault && ruleFaultText(rule.fault)}
    </p>
  );
}

function ChangedAnswer({ change: { line, answer } }: { change: TrialChange }) {
  const { dateTime } = useFormats();
  const title = useEventTitle();
  const { go } = useNavigation();
  return (
    <li>
      <button
        type="button"
        className={styles.change}
        onClick={() => go({ page: 'events', tab: 'list', event: line.id })}
        data-testid={`change-${line.id}`}
      >
        <span className="number">{dateTime(line.received)}</span>
        <span>{title(line)}</span>
        <span className="mono">{line.order}</span>
        <AnswerMark allowed={answer.allowed} by={answer.by} />
        <span className="muted">{answer.errors.join(' ')}</span>
      </button>
    </li>
  );
}
