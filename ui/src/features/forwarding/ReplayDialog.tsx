import { Button, Group, NumberInput, Progress } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { SteadyLabel } from '@/components/controls/SteadyLabel';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import type { EventQuery, ReplayPlan } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { useEventKinds } from '@/base/useEventKinds';

import { DestinationFields } from './DestinationFields';
import { toDestination, isBlocked, storeDestination, storedDestination } from './destination';
import { type ReplayState, useReplay, useReplayPlan } from './useReplay';
import styles from './forwarding.module.css';

/** Summarizes a replay: number, kinds and time range of events, and whether it is unencrypted. */
function ReplayPlanNote({ plan: { count, cut, kinds, first, last, open } }: { plan: ReplayPlan }) {
  const { t } = useTranslation();
  const { moment, number, name } = useFormats();
  const eventKinds = useEventKinds();
  const named = (kind: number | null) => {
    const eventKind = eventKinds.find(({ id }) => id === kind);
    if (eventKind) return name(eventKind);
    return kind === null ? t('inbox.noKind') : t('inbox.unknownKind', { kind });
  };
  return (
    <div data-testid="replay-plan">
      <p className={styles.plan}>
        {count === 0
          ? t('replay.none')
          : t('replay.would', { count, shown: number(count), first: moment(first ?? ''), last: moment(last ?? '') })}
      </p>
      {count > 1 && <p className="small muted">{kinds.map(([kind, of]) => `${named(kind)} ${number(of)}`).join(' · ')}</p>}
      {cut && <p className={styles.idle}>{t('replay.cut')}</p>}
      {open && <p className={styles.idle}>{t('forwarding.open')}</p>}
    </div>
  );
}

/** A replay's progress and its failed events. */
function ReplayResults({ state, total }: { state: ReplayState; total: number }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { done, taken, refused } = state;
  return (
    <div role="status" data-testid="replay-results">
      <Progress value={total === 0 ? 0 : (100 * done) / total} aria-label={t('replay.title')} />
      <p>{t('replay.done', { count: taken, shown: number(taken), done: number(done), total: number(total) })}</p>
      {refused.length > 0 && (
        <ul className={styles.results} tabIndex={0}>
          {refused.map(({ event, status, told }) => (
            <li key={event} data-taken="false">
              {t('replay.refused', { event, status: status ?? '–' })} <span className="mono">{told}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type Props = { query: EventQuery; close: () => void };

/** Replays events: destination, speed and plan, then the results. */
export function ReplayDialog({ query, close }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [where, setWhere] = useState(storedDestination);
  const [pace, setPace] = useState(10);
  const to = toDestination(where);
  // The plan doesn't depend on whether HTTP is allowed.
  const plan = useReplayPlan(query, toDestination({ ...where, allowHttp: false }));
  const { state, send, stop } = useReplay();
  const leave = () => {
    stop();
    close();
  };
  return (
    <Dialog title={t('replay.title')} close={leave} wide>
      <p className="muted">{t('replay.about')}</p>
      <DestinationFields where={where} change={setWhere} />
      <div className={styles.pace}>
        <NumberInput
          label={t('replay.pace')}
          value={pace}
          onChange={(value) => setPace(Number(value) || 1)}
          min={1}
          max={1000}
          w={140}
          data-testid="replay-pace"
        />
      </div>
      {plan.data && <ReplayPlanNote plan={plan.data} />}
      {plan.error && <ProblemNote problem={toProblem(plan.error)} quiet />}
      {state && <ReplayResults state={state} total={plan.data?.count ?? 0} />}
      {state?.problem && <ProblemNote problem={state.problem} quiet />}
      <Group justify="flex-end">
        {state?.running ? (
          <Button variant="default" onClick={stop} data-testid="replay-stop">
            {t('replay.stop')}
          </Button>
        ) : (
          <Button variant="default" onClick={leave} data-testid="replay-close">
            <SteadyLabel label={t(state ? 'common.close' : 'common.cancel')} other={t(state ? 'common.cancel' : 'common.close')} />
          </Button>
        )}
        <Button
          variant={state ? 'default' : 'filled'}
          disabled={to === null || isBlocked(where) || !plan.data || plan.data.count === 0 || state?.running}
          onClick={() => {
            if (to === null || !plan.data) return;
            storeDestination(where);
            // Events received after the plan are excluded.
            send({ ...query, upTo: plan.data.upTo }, to, pace);
          }}
          data-testid="replay-send"
        >
          {t('replay.send', { count: plan.data?.count ?? 0, shown: number(plan.data?.count ?? 0) })}
        </Button>
      </Group>
    </Dialog>
  );
}
