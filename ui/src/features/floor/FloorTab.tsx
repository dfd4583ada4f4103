import { Button, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { UseMutationResult } from '@tanstack/react-query';

import { type EventTabProps, useNavigation } from '@/base/navigation';
import { secondsSince, siteTime } from '@/base/siteTime';
import { useFormats } from '@/base/useFormats';
import { OpenWindowButton } from '@/components/window/OpenWindowButton';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import type { Floor, FloorRead, StationState } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { usePreferences } from '@/base/preferences';
import { RuleFailures } from '@/features/answers';

import { useDurationText } from './ElapsedTime';
import { FloorMark } from './FloorMark';
import { StationBoard } from './StationBoard';
import { StationRows } from './StationRows';
import { STATION_STATES, useFirstFloorRead, useFloor, useFloorRead, useNow } from './useFloor';
import styles from './floor.module.css';
import { Differences } from './Differences';

/** Seconds without a heartbeat after which a receiver counts as off. */
const SILENCE_LIMIT = 90;
/** The time for which a past gap is shown, in seconds. */
const RECENT_GAP_TIME = 24 * 3600;

type Props = { floor: Floor; now: number; read: UseMutationResult<FloorRead, unknown, void> };

/** Notes about possibly missing events and the service's own data. */
function FloorNotes({ floor, now, read }: Props) {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const { gap, listening, zone } = floor;
  const time = (iso: string) => siteTime(iso, zone, language, now);
  const off = listening === null || secondsSince(listening, now) > SILENCE_LIMIT;
  const isRecent = gap !== null && secondsSince(gap.until, now) < RECENT_GAP_TIME;
  const note = (
    <Button size="compact-sm" variant="default" onClick={() => read.mutate()} loading={read.isPending} data-testid="floor-read">
      {t('floorNow.read')}
    </Button>
  );
  return (
    <>
      {floor.rulesFailing && <RuleFailures failing={floor.rulesFailing} />}
      {off && (
        <p className={styles.gap} role="status" data-testid="floor-off">
          {listening === null ? t('floorNow.neverOn') : t('floorNow.off', { time: time(listening) })}
        </p>
      )}
      {isRecent && (
        <p className={styles.gap} role="status" data-testid="floor-gap">
          {t(gap.asleep ? 'floorNow.gapAsleep' : 'floorNow.gap', { since: time(gap.since), until: time(gap.until) })} {note}
        </p>
      )}
      {!isRecent && (
        // The button comes first, because the text grows when the first read ends and must not move it.
        <p className={styles.ask}>
          {note} {floor.asked === null ? t('floorNow.byEvents') : t('floorNow.byEventsAndService', { time: time(floor.asked) })}
        </p>
      )}
      {read.error !== null && <ProblemNote problem={toProblem(read.error)} again={() => read.mutate()} />}
      {read.data && <Differences read={read.data} time={time} />}
    </>
  );
}

/** The current state of the floor according to the events, or one station as a board. */
export function FloorTab({ title, actions, place }: EventTabProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const lasting = useDurationText();
  const { go } = useNavigation();
  const { data: floor, error } = useFloor();
  const read = useFloorRead();
  useFirstFloorRead(floor);
  // A board is read from afar and shows seconds. The list has more rows to render.
  const now = useNow(place.station === undefined ? 5_000 : 1_000);
  const [chosen, setChosen] = useState<readonly StationState[]>([]);
  const open = (station?: string) => go({ page: 'events', tab: 'floor', station });
  const stations = floor?.stations ?? [];
  if (floor && place.station !== undefined) {
    return <StationBoard floor={floor} code={place.station} now={now} close={() => open()} />;
  }
  const shown = chosen.length === 0 ? stations : stations.filter(({ state }) => chosen.includes(state));
  const count = (state: StationState) => stations.filter((one) => one.state === state).length;
  const toggle = (state: StationState) => setChosen(chosen.includes(state) ? chosen.filter((one) => one !== state) : [...chosen, state]);
  return (
    <PageFrame
      title={title}
      action={
        <>
          <OpenWindowButton view={{ kind: 'floor', station: null }} />
          {actions}
        </>
      }
      aside={floor?.last && <span data-testid="floor-last">{t('floorNow.last', { time: lasting(secondsSince(floor.last, now)) })}</span>}
      filter={
        <div className={styles.filter} role="group" aria-label={t('floorNow.filter')}>
          {STATION_STATES.map((state) => (
            <UnstyledButton
              key={state}
              className={styles.choice}
              aria-pressed={chosen.includes(state)}
              data-zero={count(state) === 0}
              onClick={() => toggle(state)}
              data-testid={`floor-filter-${state}`}
            >
              <FloorMark state={state} /> <b className="number">{number(count(state))}</b>
            </UnstyledButton>
          ))}
        </div>
      }
      status={floor && floor.behind > 0 && <span className="number">{t('floorNow.behind', { count: floor.behind, shown: number(floor.behind) })}</span>}
    >
      {error && <ProblemNote problem={toProblem(error)} />}
      {floor && (
        <div className={styles.floor}>
          <FloorNotes floor={floor} now={now} read={read} />
          {stations.length === 0 ? (
            <div className={styles.empty} data-testid="floor-empty">
              <p>{t('floorNow.about')}</p>
              <p className="muted">{t('floorNow.empty')}</p>
              <Button variant="default" onClick={() => go({ page: 'events', tab: 'list' })}>
                {t('floorNow.toEvents')}
              </Button>
            </div>
          ) : (
            <StationRows
              stations={shown}
              now={now}
              zone={floor.zone}
              open={open}
              openEvent={(event) => go({ page: 'events', tab: 'list', event })}
            />
          )}
        </div>
      )}
    </PageFrame>
  );
}
