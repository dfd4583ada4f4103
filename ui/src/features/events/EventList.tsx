import { useDebouncedValue } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type EventsPlace, useNavigation } from '../../app/navigation';
import { client } from '../../app/client';
import { PageFrame } from '../../components/PageFrame';
import { tellProblem } from '../../components/tellProblem';
import { commands } from '../../ipc/bindings';
import { TakeAlong } from '../forwarding/TakeAlong';
import { EmptyList } from './EmptyList';
import { EventGrid } from './EventGrid';
import { EventPanel } from './EventPanel';
import { FilterLine } from './FilterLine';
import { GapStrip } from './GapStrip';
import { ListStatus } from './ListStatus';
import { ReceiverBar } from './ReceiverBar';
import { type Wanted, anything, asQuery, asText, isAnything, lasting } from './query';
import { useFeed } from './useFeed';
import { useReceiver } from './useReceiver';
import styles from './events.module.css';

type Props = { title: string; actions: ReactNode; place: EventsPlace; site: string; first: Wanted };

/** Longer than the pause between two keys. */
const pause = 250;

/** A site's events: the receiver, what is looked for, the list, and one event with everything that is known about it. */
export function EventList({ title, actions, place, site, first }: Props) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { data: receiver } = useReceiver();
  const [wanted, setWanted] = useState(first);
  const [settled] = useDebouncedValue(wanted, pause);
  useKept(first, settled);
  const { event } = place;
  const open = useCallback((id?: number) => go({ ...place, event: id }), [go, place]);
  const [feed, state] = useFeed(site, settled, event !== undefined);
  const turn = useCallback((from: number, by: 1 | -1) => feed.turn(from, by), [feed]);
  const change = (some: Partial<Wanted>) => setWanted((now) => ({ ...now, ...some }));
  const [ticked, setTicked] = useState<number[]>([]);
  const nothing = state.total === 0 && isAnything(settled);
  return (
    <PageFrame
      title={title}
      action={
        <>
          {!nothing && <TakeAlong query={{ ...asQuery(settled, site, null), only: ticked }} />}
          {actions}
        </>
      }
      filter={
        <>
          {receiver && <ReceiverBar receiver={receiver} />}
          {!nothing && <FilterLine wanted={wanted} change={change} clear={() => setWanted(anything)} />}
        </>
      }
      status={!nothing && <ListStatus state={state} ticked={ticked.length} untick={() => feed.untick()} follow={() => feed.follow()} />}
      edge
    >
      {nothing && receiver ? (
        <EmptyList receiver={receiver} />
      ) : (
        <div className={styles.list} aria-label={t('inbox.title')}>
          <GapStrip site={site} />
          <EventGrid feed={feed} site={site} selected={event} open={open} tick={setTicked} />
        </div>
      )}
      {event !== undefined && <EventPanel id={event} close={() => open()} narrow={change} turn={turn} open={open} />}
    </PageFrame>
  );
}

/** What is looked for is remembered until a person looks for something else; the time isn't. */
function useKept(first: Wanted, settled: Wanted): void {
  const [before, now] = [asText(lasting(first)), asText(lasting(settled))];
  useEffect(() => {
    if (before === now) return;
    const query = asQuery(lasting(settled), null, null);
    client.setQueryData(['events', 'looked-for'], query);
    commands.eventLookFor(query).catch(tellProblem);
  }, [before, now, settled]);
}
