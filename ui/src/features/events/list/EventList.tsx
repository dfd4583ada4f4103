import { useDebouncedValue } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type EventFilter, emptyFilter, toEventQuery, toFilterKey, isEmptyFilter, withoutTime } from '@/base/eventFilter';
import { type EventsPlace, useNavigation } from '@/base/navigation';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { PageFrame } from '@/components/page/PageFrame';
import { useFirstLoad } from '@/components/page/useFirstLoad';
import { EventExport } from '@/features/forwarding';
import { ReceiverBar, useReceiver } from '@/features/receiver';
import { commands } from '@/ipc/bindings';
import { EventPanel } from '../event/EventPanel';
import { EmptyList } from './EmptyList';
import { EventGrid } from './EventGrid';
import { FilterLine } from './FilterLine';
import { GapStrip } from './GapStrip';
import { ListStatus } from './ListStatus';
import { useEventFeed } from './useEventFeed';
import { useGaps } from './useGaps';
import styles from '../common/events.module.css';

type Props = { title: string; actions: ReactNode; place: EventsPlace; site: string; first: EventFilter };

/** Longer than the pause between two keys. */
const pause = 250;

/** A site's events: the receiver, what is looked for, the list, and one event with everything that is known about it. */
export function EventList({ title, actions, place, site, first }: Props) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { data: receiver, isLoading: isReceiverLoading } = useReceiver();
  const { isLoading: areGapsLoading } = useGaps(site);
  const isFirstLoad = useFirstLoad(isReceiverLoading || areGapsLoading);
  const [filter, setFilter] = useState(first);
  const [settled] = useDebouncedValue(filter, pause);
  useKept(first, settled);
  const { event } = place;
  const open = useCallback((id?: number) => go({ ...place, event: id }), [go, place]);
  const [feed, state] = useEventFeed(site, settled, event !== undefined);
  const turn = useCallback((from: number, by: 1 | -1) => feed.turn(from, by), [feed]);
  const change = (some: Partial<EventFilter>) => setFilter((now) => ({ ...now, ...some }));
  const [ticked, setTicked] = useState<number[]>([]);
  const nothing = state.total === 0 && isEmptyFilter(settled);
  // What stands above the list comes with it: nothing moves away from under the pointer.
  if (isFirstLoad) return <PageFrame title={title} action={actions} />;
  return (
    <PageFrame
      title={title}
      action={
        <>
          {!nothing && <EventExport query={{ ...toEventQuery(settled, site, null), only: ticked }} />}
          {actions}
        </>
      }
      filter={
        <>
          {receiver && <ReceiverBar receiver={receiver} />}
          {!nothing && <FilterLine filter={filter} change={change} clear={() => setFilter(emptyFilter)} />}
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
function useKept(first: EventFilter, settled: EventFilter): void {
  const [before, now] = [toFilterKey(withoutTime(first)), toFilterKey(withoutTime(settled))];
  useEffect(() => {
    if (before === now) return;
    const query = toEventQuery(withoutTime(settled), null, null);
    queryClient.setQueryData(queryKeys.eventFilter, query);
    commands.eventLastQuerySave(query).catch(showProblemNotice);
  }, [before, now, settled]);
}
