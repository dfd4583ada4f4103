import { UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type EventTabProps, useNavigation } from '@/base/navigation';
import { secondsSince } from '@/base/siteTime';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { toProblem } from '@/ipc/problem';
import { useDurationText } from './ElapsedTime';
import { FloorMark } from './FloorMark';
import { FloorNotes } from './FloorNotes';
import { StationBoard } from './StationBoard';
import { StationRows } from './StationRows';
import { type Shown, states, stationsOf, useFloor, useFloorRead, useNow } from './useFloor';
import styles from './floor.module.css';

/** What runs on the floor now, as the events have it; one station of it as a board. */
export function FloorTab({ title, actions, place }: EventTabProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const lasting = useDurationText();
  const { go } = useNavigation();
  const { data: floor, error } = useFloor();
  const read = useFloorRead();
  // A board is watched from afar; the list has many lines to draw.
  const now = useNow(place.station === undefined ? 5_000 : 1_000);
  const [chosen, setChosen] = useState<readonly Shown[]>([]);
  const open = (station?: string) => go({ page: 'events', tab: 'floor', station });
  const stations = floor ? stationsOf(floor, read.data) : [];
  if (floor && place.station !== undefined) {
    const shown = stations.find(({ station }) => station.code === place.station);
    return <StationBoard floor={floor} code={place.station} state={shown?.state ?? 'unheard'} now={now} close={() => open()} />;
  }
  const shown = chosen.length === 0 ? stations : stations.filter(({ state }) => chosen.includes(state));
  const count = (state: Shown) => stations.filter((one) => one.state === state).length;
  const toggle = (state: Shown) => setChosen(chosen.includes(state) ? chosen.filter((one) => one !== state) : [...chosen, state]);
  return (
    <PageFrame
      title={title}
      action={actions}
      aside={floor?.last && <span data-testid="floor-last">{t('floorNow.last', { time: lasting(secondsSince(floor.last, now)) })}</span>}
      filter={
        <div className={styles.filter} role="group" aria-label={t('floorNow.filter')}>
          {states.map((state) => (
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
            <p data-testid="floor-empty">{t('floorNow.empty')}</p>
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
