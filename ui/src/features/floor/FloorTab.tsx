import { Button, UnstyledButton } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UseMutationResult } from '@tanstack/react-query';

import { type EventTabProps, useNavigation } from '@/base/navigation';
import { secondsSince, siteTime } from '@/base/siteTime';
import { useFormats } from '@/base/useFormats';
import { useNow } from '@/base/useNow';
import { OrderLink } from '@/components/values/OrderLink';
import { OpenWindowButton } from '@/components/window/OpenWindowButton';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { EmptyState } from '@/components/page/EmptyState';
import { PageFrame } from '@/components/page/PageFrame';
import type { Floor, FloorDifference, FloorRead } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { usePreferences } from '@/base/preferences';
import { RuleFailures } from '@/features/answers';

import { useDurationText } from './ElapsedTime';
import { OriginLine } from './OriginMark';
import { originsOf } from './origin';
import { StationStateMark } from './StationStateMark';
import { StationBoard } from './StationBoard';
import { StationRows } from './StationRows';
import { SHOWN_STATES, type ShownState, sortStations, statesOf } from './stationStates';
import { useFirstFloorRead, useFloor, useFloorRead } from './useFloor';
import styles from './floor.module.css';

/** Maximum number of listed differences. */
const MAX_DIFFERENCES = 100;

type DifferencesProps = { read: FloorRead; time: (iso: string) => string };

/** Lists differences between the service's data and the events. */
function Differences({ read, time }: DifferencesProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { differences } = read;
  const values = { time: time(read.at), orders: number(read.orders), count: differences.length, shown: number(differences.length) };
  return (
    <section className={styles.otherwise} aria-labelledby="floor-otherwise" data-testid="floor-otherwise">
      <h2 id="floor-otherwise">{differences.length === 0 ? t('floorNow.agrees', { ...values, count: read.orders }) : t('floorNow.differs', values)}</h2>
      {differences.length > 0 && (
        <div className={styles.scroll} role="group" tabIndex={0} aria-labelledby="floor-otherwise">
          <table className={styles.table} aria-labelledby="floor-otherwise">
            <thead>
              <tr>
                <th scope="col">{t('floorNow.order')}</th>
                <th scope="col">{t('floorNow.told')}</th>
                <th scope="col">{t('floorNow.held')}</th>
              </tr>
            </thead>
            <tbody>
              {differences.slice(0, MAX_DIFFERENCES).map((one) => (
                <Difference key={`${one.code}·${one.operation}`} one={one} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Difference({ one: difference }: { one: FloorDifference }) {
  const { t } = useTranslation();
  const { reported } = difference;
  const serviceState = difference.serviceState === null ? t('floorNow.notThere') : (difference.status ?? t(`floorNow.orderState.${difference.serviceState}`));
  return (
    <tr>
      <th scope="row">
        <OrderLink code={difference.code} /> <span className="mono">{difference.operation}</span>
      </th>
      <td>{reported ? <StateAndStation state={reported.status ?? t(`floorNow.orderState.${reported.state}`)} station={reported.station} /> : t('floorNow.nothingTold')}</td>
      <td>
        <StateAndStation state={serviceState} station={difference.station} />
      </td>
    </tr>
  );
}

function StateAndStation({ state, station }: { state: string; station: string | null }) {
  return (
    <>
      {state} {station && <span className="mono muted">{station}</span>}
    </>
  );
}

/** Seconds without a sign of life after which a receiver is considered stopped. */
export const MAX_SILENCE_SECONDS = 90;
/** The time for which a past gap is shown, in seconds. */
const MAX_GAP_AGE_SECONDS = 24 * 3600;

type FloorNotesProps = { floor: Floor; now: number; read: UseMutationResult<FloorRead, unknown, void>; origin: ReactNode };

/** Notes about a stopped receiver, missing events and the service's own data. */
function FloorNotes({ floor, now, read, origin }: FloorNotesProps) {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const { gap, listening, zone } = floor;
  const time = (iso: string) => siteTime(iso, zone, language, now);
  const isReceiverOff = listening === null || secondsSince(listening, now) > MAX_SILENCE_SECONDS;
  const isRecent = gap !== null && secondsSince(gap.until, now) < MAX_GAP_AGE_SECONDS;
  const note = (
    <Button size="compact-sm" variant="default" onClick={() => read.mutate()} loading={read.isPending} data-testid="floor-read">
      {t('floorNow.read')}
    </Button>
  );
  return (
    <>
      {floor.rulesFailing && <RuleFailures failing={floor.rulesFailing} />}
      {isReceiverOff && (
        <p className={styles.gap} role="status" data-testid="floor-off">
          {listening === null ? t('floorNow.neverOn') : t('floorNow.off', { time: time(listening) })}
        </p>
      )}
      {isRecent && (
        <p className={styles.gap} role="status" data-testid="floor-gap">
          {t(gap.asleep ? 'floorNow.gapAsleep' : 'floorNow.gap', { since: time(gap.since), until: time(gap.until) })} {note} {origin}
        </p>
      )}
      {!isRecent && (
        // The button comes first, so that it stays in place when the first read makes the text longer.
        <p className={styles.ask}>
          {note} {floor.asked === null ? t('floorNow.byEvents') : t('floorNow.byEventsAndService', { time: time(floor.asked) })} {origin}
        </p>
      )}
      {read.error !== null && <ProblemNote problem={toProblem(read.error)} retry={() => read.mutate()} />}
      {read.data && <Differences read={read.data} time={time} />}
    </>
  );
}

/** The current state of the floor according to the events, or one station as a board. */
export function FloorTab({ title, actions, place }: EventTabProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const durationText = useDurationText();
  const { go } = useNavigation();
  const { data: floor, error } = useFloor();
  const read = useFloorRead();
  useFirstFloorRead(floor);
  // A board is read from a distance and shows seconds. The list has more rows, so it is rendered less often.
  const now = useNow(place.station === undefined ? 5_000 : 1_000);
  const [chosen, setChosen] = useState<readonly ShownState[]>([]);
  const open = (station?: string) => go({ page: 'events', tab: 'floor', station });
  const stations = sortStations(floor?.stations ?? []);
  const origins = originsOf(stations);
  if (floor && place.station !== undefined) {
    return <StationBoard floor={floor} code={place.station} now={now} close={() => open()} />;
  }
  const visibleStations = chosen.length === 0 ? stations : stations.filter((station) => chosen.some((state) => statesOf(station).has(state)));
  const count = (state: ShownState) => stations.filter((one) => statesOf(one).has(state)).length;
  const toggle = (state: ShownState) => setChosen(chosen.includes(state) ? chosen.filter((one) => one !== state) : [...chosen, state]);
  return (
    <PageFrame
      title={title}
      action={
        <>
          <OpenWindowButton view={{ kind: 'floor', station: null }} />
          {actions}
        </>
      }
      subtitle={floor?.last && <span data-testid="floor-last">{t('floorNow.last', { time: durationText(secondsSince(floor.last, now)) })}</span>}
      filter={
        <div className={styles.filter} role="group" aria-label={t('floorNow.filter')}>
          {SHOWN_STATES.map((state) => (
            <UnstyledButton
              key={state}
              className={styles.choice}
              aria-pressed={chosen.includes(state)}
              data-zero={count(state) === 0}
              onClick={() => toggle(state)}
              data-testid={`floor-filter-${state}`}
            >
              <StationStateMark state={state} isMuted={count(state) === 0} /> <b className="number">{number(count(state))}</b>
            </UnstyledButton>
          ))}
        </div>
      }
      status={floor && floor.behind > 0 && <span className="number">{t('floorNow.behind', { count: floor.behind, shown: number(floor.behind) })}</span>}
    >
      {error && <ProblemNote problem={toProblem(error)} />}
      {floor && (
        <div className={styles.floor}>
          <FloorNotes floor={floor} now={now} read={read} origin={<OriginLine origins={origins} />} />
          {stations.length === 0 ? (
            <EmptyState
              picture="floor"
              text={t('floorNow.empty')}
              action={
                <Button variant="default" onClick={() => go({ page: 'events', tab: 'list' })}>
                  {t('floorNow.toEvents')}
                </Button>
              }
              testId="floor-empty"
            />
          ) : (
            <StationRows
              stations={visibleStations}
              now={now}
              zone={floor.zone}
              common={origins.common}
              open={open}
              openEvent={(event) => go({ page: 'events', tab: 'list', event })}
            />
          )}
        </div>
      )}
    </PageFrame>
  );
}
