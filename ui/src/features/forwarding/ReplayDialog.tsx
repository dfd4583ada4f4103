import { Button, Checkbox, Group, NumberInput, Progress, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { isUnencrypted } from '@/base/addresses';
import { useSite } from '@/base/appState';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { FixedWidthLabel } from '@/components/controls/FixedWidthLabel';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { useReceiver } from '@/features/receiver';
import { type Destination, type EventQuery, type Problem, type ReplayPlan, type ReplayResult, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { toProblem } from '@/ipc/problem';
import { useEventKinds } from '@/base/useEventKinds';
import { nextTicket } from '@/ipc/tickets';

import { useTargets } from './useTargets';
import styles from './forwarding.module.css';

/** Summarizes a replay: the number, kinds and time range of its events. Warns if the address is unencrypted. */
function ReplayPlanNote({ plan: { count, cut, kinds, first, last, open } }: { plan: ReplayPlan }) {
  const { t } = useTranslation();
  const { dateTime, number, name } = useFormats();
  const eventKinds = useEventKinds();
  const kindName = (kind: number | null) => {
    const eventKind = eventKinds.find(({ id }) => id === kind);
    if (eventKind) return name(eventKind);
    return kind === null ? t('inbox.noKind') : t('inbox.unknownKind', { kind });
  };
  return (
    <div data-testid="replay-plan">
      <p className={styles.plan}>
        {count === 0
          ? t('replay.none')
          : t('replay.would', { count, shown: number(count), first: dateTime(first ?? ''), last: dateTime(last ?? '') })}
      </p>
      {count > 1 && <p className="small muted">{kinds.map(([kind, of]) => `${kindName(kind)} ${number(of)}`).join(' · ')}</p>}
      {cut && <p className={styles.idle}>{t('replay.cut')}</p>}
      {open && <p className={styles.idle}>{t('forwarding.open')}</p>}
    </div>
  );
}

/** The progress of a replay. `succeeded` is the number of responses with a success status, and `failures` has the others. */
type ReplayState = { running: boolean; done: number; succeeded: number; failures: ReplayResult[]; problem: Problem | null };

/** Maximum number of failed events that are listed. */
const MAX_LISTED_FAILURES = 200;
const INITIAL_STATE: ReplayState = { running: true, done: 0, succeeded: 0, failures: [], problem: null };

/** Returns the plan of a replay, debounced while typing. */
function useReplayPlan(query: EventQuery, to: Destination | null) {
  const [debouncedDestination] = useDebouncedValue(to, 250);
  return useQuery({
    queryKey: queryKeys.replayPlan(query, debouncedDestination),
    queryFn: () => (debouncedDestination === null ? Promise.reject(new Error('nowhere')) : commands.replayPlan(query, debouncedDestination)),
    enabled: debouncedDestination !== null,
    gcTime: 0,
    retry: false,
  });
}

/** Starts and stops a replay, and tracks its results. */
function useReplay() {
  const [state, setState] = useState<ReplayState | null>(null);
  const ticket = useRef<number | null>(null);
  const send = (query: EventQuery, to: Destination, perSecond: number) => {
    ticket.current = nextTicket();
    setState(INITIAL_STATE);
    const channel = createChannel<ReplayResult>((one) => setState((before) => addResult(before ?? INITIAL_STATE, one)));
    commands
      .replaySend(query, to, perSecond, ticket.current, channel)
      .then(
        () => null,
        (cause: unknown) => toProblem(cause),
      )
      .then((problem) => {
        ticket.current = null;
        setState((before) => ({ ...(before ?? INITIAL_STATE), running: false, problem }));
      });
  };
  const stop = () => {
    if (ticket.current !== null) void commands.ticketStop(ticket.current);
  };
  return { state, send, stop };
}

function addResult(before: ReplayState, one: ReplayResult): ReplayState {
  const isSuccess = one.status !== null && one.status >= 200 && one.status < 300;
  return {
    ...before,
    done: before.done + 1,
    succeeded: before.succeeded + (isSuccess ? 1 : 0),
    failures: isSuccess || before.failures.length >= MAX_LISTED_FAILURES ? before.failures : [...before.failures, one],
  };
}

/** A replay's progress and its failed events. */
function ReplayResults({ state, total }: { state: ReplayState; total: number }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { done, succeeded, failures } = state;
  return (
    <div role="status" data-testid="replay-results">
      <Progress value={total === 0 ? 0 : (100 * done) / total} aria-label={t('replay.title')} />
      <p>{t('replay.done', { count: succeeded, shown: number(succeeded), done: number(done), total: number(total) })}</p>
      {failures.length > 0 && (
        <ul className={styles.results} tabIndex={0}>
          {failures.map(({ event, status, told }) => (
            <li key={event} data-taken="false">
              {t('replay.refused', { event, status: status ?? '–' })} <span className="mono">{told}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A replay's destination: an address, which needs `allowHttp` for plain HTTP, or a target's ID. */
type DestinationDraft = { address: string; allowHttp: boolean; target: string | null };

/**
 * Returns the last used address. It is stored only in memory, because it may contain secrets. A target isn't remembered, because it
 * belongs to one site.
 */
function storedDestination(): DestinationDraft {
  return { address: queryClient.getQueryData<string>(queryKeys.replayAddress) ?? '', allowHttp: false, target: null };
}

function storeDestination({ address, target }: DestinationDraft): void {
  if (target !== null) return;
  queryClient.setQueryDefaults(queryKeys.replayAddress, { gcTime: Infinity });
  queryClient.setQueryData(queryKeys.replayAddress, address.trim());
}

/** Whether the replay can't be started, because the address is unencrypted and plain HTTP isn't allowed. */
export function isBlocked({ address, allowHttp, target }: DestinationDraft): boolean {
  return target === null && isUnencrypted(address) && !allowHttp;
}

/** Returns the destination, null if it is incomplete. */
export function toDestination({ address, allowHttp, target }: DestinationDraft): Destination | null {
  if (target !== null) return { to: 'target', id: Number(target) };
  return address.trim() === '' ? null : { to: 'address', address: address.trim(), allowHttp };
}

type DestinationFieldsProps = { destination: DestinationDraft; change: (where: DestinationDraft) => void };

const ADDRESS_OPTION = 'address';
const OWN_RECEIVER_OPTION = 'own';

/** The destination of a replay: an address, the site's own receiver, or a target. */
function DestinationFields({ destination, change }: DestinationFieldsProps) {
  const { t } = useTranslation();
  const site = useSite()?.site.name;
  const targets = useTargets(site) ?? [];
  const { data: receiver } = useReceiver();
  const url = receiver?.urls[0] ?? null;
  const choose = (value: string | null) => {
    if (value === OWN_RECEIVER_OPTION && url !== null) change({ address: url, allowHttp: false, target: null });
    else change(value === null || value === ADDRESS_OPTION || value === OWN_RECEIVER_OPTION ? { address: '', allowHttp: false, target: null } : { ...destination, target: value });
  };
  return (
    <>
      <Select
        label={t('replay.to')}
        data={[
          { value: ADDRESS_OPTION, label: t('replay.address') },
          ...(url === null ? [] : [{ value: OWN_RECEIVER_OPTION, label: t('replay.own') }]),
          ...targets.map(({ id, name }) => ({ value: String(id), label: t('replay.target', { name }) })),
        ]}
        value={destination.target ?? (url !== null && destination.address === url ? OWN_RECEIVER_OPTION : ADDRESS_OPTION)}
        onChange={choose}
        allowDeselect={false}
        data-testid="replay-to"
      />
      {destination.target === null && (
        <TextInput
          label={t('forwarding.form.address')}
          placeholder={t('forwarding.form.addressExample')}
          value={destination.address}
          onChange={(event) => change({ ...destination, address: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          data-testid="replay-address"
        />
      )}
      {destination.target === null && isUnencrypted(destination.address) && (
        <Checkbox
          label={t('forwarding.form.allowHttp')}
          checked={destination.allowHttp}
          onChange={(event) => change({ ...destination, allowHttp: event.currentTarget.checked })}
          data-testid="replay-allowHttp"
        />
      )}
    </>
  );
}

type Props = { query: EventQuery; close: () => void };

/** Replays events: destination, speed and plan, then the results. */
export function ReplayDialog({ query, close }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [destination, setDestination] = useState(storedDestination);
  const [eventsPerSecond, setEventsPerSecond] = useState(10);
  const to = toDestination(destination);
  // Allowing HTTP doesn't change the plan, so it must not cause a new one.
  const plan = useReplayPlan(query, toDestination({ ...destination, allowHttp: false }));
  const { state, send, stop } = useReplay();
  const handleClose = () => {
    stop();
    close();
  };
  return (
    <Dialog title={t('replay.title')} close={handleClose} wide>
      <p className="muted">{t('replay.about')}</p>
      <DestinationFields destination={destination} change={setDestination} />
      <div className={styles.pace}>
        <NumberInput
          label={t('replay.pace')}
          value={eventsPerSecond}
          onChange={(value) => setEventsPerSecond(Number(value) || 1)}
          min={1}
          max={1000}
          w={140}
          data-testid="replay-pace"
        />
      </div>
      {plan.data && <ReplayPlanNote plan={plan.data} />}
      {plan.error && <ProblemNote problem={toProblem(plan.error)} isSubtle />}
      {state && <ReplayResults state={state} total={plan.data?.count ?? 0} />}
      {state?.problem && <ProblemNote problem={state.problem} isSubtle />}
      <Group justify="flex-end">
        {state?.running ? (
          <Button variant="default" onClick={stop} data-testid="replay-stop">
            {t('replay.stop')}
          </Button>
        ) : (
          <Button variant="default" onClick={handleClose} data-testid="replay-close">
            <FixedWidthLabel label={t(state ? 'common.close' : 'common.cancel')} other={t(state ? 'common.cancel' : 'common.close')} />
          </Button>
        )}
        <Button
          variant={state ? 'default' : 'filled'}
          disabled={to === null || isBlocked(destination) || !plan.data || plan.data.count === 0 || state?.running}
          onClick={() => {
            if (to === null || !plan.data) return;
            storeDestination(destination);
            // Events that arrived after the plan are excluded.
            send({ ...query, upTo: plan.data.upTo }, to, eventsPerSecond);
          }}
          data-testid="replay-send"
        >
          {plan.data ? t('replay.send', { count: plan.data.count, shown: number(plan.data.count) }) : t('replay.sendSome')}
        </Button>
      </Group>
    </Dialog>
  );
}
