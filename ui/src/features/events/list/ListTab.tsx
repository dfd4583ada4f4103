import { Button, Popover } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconArrowUp } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { EMPTY_FILTER, type EventFilter, isEmptyFilter, toEventFilter, toEventQuery, toFilterKey, withoutTime } from '@/base/eventFilter';
import { type EventTabProps, type EventsPlace, useNavigation } from '@/base/navigation';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { useEventKinds } from '@/base/useEventKinds';
import { useFormats } from '@/base/useFormats';
import { CopyButton } from '@/components/controls/CopyButton';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { EmptyState } from '@/components/page/EmptyState';
import { PageFrame } from '@/components/page/PageFrame';
import { useFirstLoad } from '@/components/page/useFirstLoad';
import { EventExport } from '@/features/forwarding';
import { ReceiverBar, useIsPractice, useReceiver, useReceiverActions } from '@/features/receiver';
import { type EventGap, type ReceiverView, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { EventPanel } from '../event/EventPanel';
import { EventGrid } from './EventGrid';
import { FilterLine } from './FilterLine';
import { EventFeed, type FeedState } from './eventFeed';
import { useGaps } from './useGaps';
import styles from '../common/events.module.css';

/** Explains the next step while there are no events. */
function EmptyList({ receiver }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const receiverActions = useReceiverActions(receiver);
  const practice = useIsPractice();
  const [url] = receiver.urls;
  if (url === undefined) {
    return (
      <EmptyState
        picture="events"
        text={t(receiver.elsewhere ? 'inbox.empty.elsewhere' : 'inbox.empty.off')}
        action={
          <Button disabled={receiverActions.busy} onClick={receiverActions.start}>
            {t('receiver.start')}
          </Button>
        }
        testId="events-empty"
      />
    );
  }
  if (practice) return <PracticeHint />;
  return (
    <EmptyState
      picture="events"
      text={t('inbox.empty.register')}
      action={
        <>
          <code className={styles.toRegister}>{url}</code> <CopyButton wide value={url} label={t('receiver.copy')} />
        </>
      }
      testId="events-empty"
    />
  );
}

/** Offers to create an event at the practice plant while there are no events. */
function PracticeHint() {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const kinds = useEventKinds();
  const fire = useMutation({ mutationFn: (kind: number) => commands.plantFire(kind, null), onError: showProblemNotice });
  const [, second] = kinds;
  return (
    <EmptyState
      picture="events"
      text={t('inbox.empty.practice')}
      action={
        <>
          <Button disabled={!second || fire.isPending} onClick={() => second && fire.mutate(second.id)} data-testid="events-fire">
            {t('inbox.empty.fire')}
          </Button>
          <Button variant="default" onClick={() => go({ page: 'plant' })}>
            {t('inbox.empty.toPlant')}
          </Button>
        </>
      }
      testId="events-empty"
    />
  );
}

/** Shows recent gaps, so that missing events aren't mistaken for a quiet floor. */
function GapStrip({ site }: { site: string }) {
  const { t } = useTranslation();
  const gapText = useGapText();
  const [mountedAt] = useState(() => Date.now());
  const { gaps } = useGaps(site);
  const [latest, ...others] = gaps.filter(({ until }) => mountedAt - Date.parse(until) < MAX_GAP_AGE);
  if (!latest) return null;
  return (
    <div className={styles.gap} role="note" data-testid="gap">
      <span aria-hidden>◆</span>
      <span className={styles.gapText}>{gapText(latest)}</span>
      {others.length > 0 && (
        <Popover width={420} position="bottom-end" shadow="md">
          <Popover.Target>
            <Button size="compact-xs" variant="subtle">
              {t('inbox.gap.more', { count: others.length })}
            </Button>
          </Popover.Target>
          <Popover.Dropdown aria-label={t('inbox.gap.more', { count: others.length })}>
            <ul className={styles.gaps} tabIndex={0}>
              {others.map((gap) => (
                <li key={gap.since}>{gapText(gap)}</li>
              ))}
            </ul>
          </Popover.Dropdown>
        </Popover>
      )}
    </div>
  );
}

function useGapText(): (gap: EventGap) => string {
  const { t } = useTranslation();
  const { dateTime, duration } = useFormats();
  return ({ since, until, asleep }) => {
    const seconds = (Date.parse(until) - Date.parse(since)) / 1000;
    const values = { since: dateTime(since), until: dateTime(until), long: duration(seconds) };
    return asleep ? t('inbox.gap.asleep', values) : t('inbox.gap.off', values);
  };
}

/** Maximum age of gaps in the strip, in milliseconds. Older ones are marked only between the rows. */
const MAX_GAP_AGE = 24 * 60 * 60 * 1000;

/** Returns the live feed of a site's matching events. */
function useEventFeed(site: string, filter: EventFilter, isEventOpen: boolean): [EventFeed, FeedState] {
  const [feed] = useState(() => new EventFeed());
  const state = useSyncExternalStore(feed.subscribe, feed.now);
  const filterKey = toFilterKey(filter);
  useEffect(() => {
    const steadyFilter = parseFilter(filterKey);
    feed.startQuery(toEventQuery(steadyFilter, site, null), isEmptyFilter(steadyFilter));
  }, [feed, site, filterKey]);
  useEffect(() => feed.look(isEventOpen), [feed, isEventOpen]);
  useEffect(() => listen(events.eventsReceived, () => feed.onEvent()), [feed]);
  return [feed, state];
}

function parseFilter(text: string): EventFilter {
  return JSON.parse(text) as EventFilter;
}

type ListStatusProps = { state: FeedState; ticked: number; clearTicks: () => void; showNewest: () => void };

/** Shows the numbers of matching, ticked and new events, and of those that aren't processed yet. */
function ListStatus({ state: { total, exact, newEvents, unread }, ticked, clearTicks, showNewest }: ListStatusProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <>
      {total !== null && (
        <span className="number" data-testid="events-count">
          {total === 0 ? t('inbox.nothingFits') : t(exact ? 'inbox.count' : 'inbox.countMore', { count: total, shown: number(total) })}
        </span>
      )}
      {ticked > 0 && (
        <>
          <span className="number" data-testid="events-ticked">
            {t('inbox.ticked', { count: ticked, shown: number(ticked) })}
          </span>
          <Button size="compact-xs" variant="subtle" color="petrol" onClick={clearTicks} data-testid="events-untick">
            {t('inbox.untick')}
          </Button>
        </>
      )}
      {unread > 0 && <span className="muted number">{t('inbox.unread', { count: unread, shown: number(unread) })}</span>}
      <span aria-live="polite">
        {newEvents !== 0 && (
          <Button size="compact-xs" leftSection={<IconArrowUp size={12} aria-hidden />} onClick={showNewest} data-testid="events-fresh">
            {newEvents === null ? t('inbox.freshSome') : t('inbox.fresh', { count: newEvents, shown: number(newEvents) })}
          </Button>
        )}
      </span>
    </>
  );
}

type EventListProps = { title: string; actions: ReactNode; place: EventsPlace; site: string; initialFilter: EventFilter };

/** Debounce for the filter, in milliseconds. */
const SEARCH_DELAY = 250;

/** A site's events: receiver, filter, list, and the detail of one event. */
function EventList({ title, actions, place, site, initialFilter }: EventListProps) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { data: receiver, isLoading: isReceiverLoading } = useReceiver();
  const { isLoading: areGapsLoading } = useGaps(site);
  const isFirstLoad = useFirstLoad(isReceiverLoading || areGapsLoading);
  const [filter, setFilter] = useState(initialFilter);
  const [debouncedFilter] = useDebouncedValue(filter, SEARCH_DELAY);
  useStoreFilter(initialFilter, debouncedFilter);
  const { event } = place;
  const open = useCallback((id?: number) => go({ ...place, event: id }), [go, place]);
  const [feed, state] = useEventFeed(site, debouncedFilter, event !== undefined);
  const turn = useCallback((from: number, by: 1 | -1) => feed.turn(from, by), [feed]);
  const change = (some: Partial<EventFilter>) => setFilter((now) => ({ ...now, ...some }));
  const [ticked, setTicked] = useState<number[]>([]);
  // `unfiltered` belongs to the same query as the count. `debouncedFilter` may already be newer.
  const hasNoEvents = state.total === 0 && state.unfiltered;
  // All elements appear together, so that nothing moves under the pointer.
  if (isFirstLoad) return <PageFrame title={title} action={actions} />;
  return (
    <PageFrame
      title={title}
      action={
        <>
          {!hasNoEvents && <EventExport query={{ ...toEventQuery(debouncedFilter, site, null), only: ticked }} />}
          {actions}
        </>
      }
      filter={
        <>
          {receiver && <ReceiverBar receiver={receiver} />}
          {!hasNoEvents && <FilterLine filter={filter} change={change} clear={() => setFilter(EMPTY_FILTER)} />}
        </>
      }
      status={!hasNoEvents && <ListStatus state={state} ticked={ticked.length} clearTicks={() => feed.untick()} showNewest={() => feed.follow()} />}
      isFullWidth
    >
      {hasNoEvents && receiver ? (
        <EmptyList receiver={receiver} />
      ) : (
        <div className={styles.list} aria-label={t('inbox.title')}>
          <GapStrip site={site} />
          <EventGrid feed={feed} site={site} selected={event} open={open} onTick={setTicked} />
        </div>
      )}
      {event !== undefined && <EventPanel id={event} close={() => open()} addFilter={change} neighborOf={turn} open={open} />}
    </PageFrame>
  );
}

/** Stores the filter without its time range. */
function useStoreFilter(first: EventFilter, debouncedFilter: EventFilter): void {
  const [before, now] = [toFilterKey(withoutTime(first)), toFilterKey(withoutTime(debouncedFilter))];
  useEffect(() => {
    if (before === now) return;
    const query = toEventQuery(withoutTime(debouncedFilter), null, null);
    queryClient.setQueryData(queryKeys.eventFilter, query);
    commands.eventLastQuerySave(query).catch(showProblemNotice);
  }, [before, now, debouncedFilter]);
}

/** The site's events, newest first, with the last used filter. */
export function ListTab({ title, actions, place }: EventTabProps) {
  const site = useSite()?.site.name;
  const { data } = useQuery({ queryKey: queryKeys.eventFilter, queryFn: () => commands.eventLastQuery(), staleTime: Infinity });
  if (site === undefined || !data) return null;
  const { query } = place;
  const filter = toEventFilter(query ?? data);
  // A link with a query resets the list.
  return <EventList key={JSON.stringify(query ?? null)} site={site} initialFilter={filter} {...{ title, actions, place }} />;
}
