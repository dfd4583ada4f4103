import type { GridApi, IDatasource } from 'ag-grid-community';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { type EventLine, type EventQuery, commands } from '@/ipc/bindings';

/** The counts shown with the list. */
export type FeedState = {
  /** Number of matching events, null until it is known. */
  total: number | null;
  /** Whether `total` includes all events of the site. */
  unfiltered: boolean;
  /** Whether `total` is exact. Otherwise there may be more events. */
  exact: boolean;
  /** Number of received events that the engine can't list yet. */
  unread: number;
  /** Number of events received since the list was paused, null if unknown. */
  newEvents: number | null;
};

/** The engine's count limit for filtered queries. */
const COUNT_LIMIT = 10_000;
/** Minimum time between refreshes, in milliseconds. */
const REFRESH_INTERVAL = 400;
/** Maximum number of events whose neighbors are stored. It exceeds the number of rows in the grid. */
const MAX_NEIGHBORS = 20_000;
const EMPTY_STATE: FeedState = { total: null, unfiltered: true, exact: true, unread: 0, newEvents: 0 };

/**
 * A live event list. It follows new events at the top. If it is scrolled down or an event is open, it pauses and counts new
 * events.
 */
export class EventFeed {
  state = EMPTY_STATE;
  private query: EventQuery | null = null;
  private api: GridApi<EventLine> | null = null;
  private readonly listeners = new Set<() => void>();
  /** ID of the newest listed event while the list is paused, null while it isn't. */
  private newestShown: number | null = null;
  /** The time of the next older event, by event ID. */
  private readonly older = new Map<number, string>();
  private top = true;
  private looking = false;
  private waiting: ReturnType<typeof setTimeout> | undefined;

  /** The grid's data source for the current query. */
  readonly source: IDatasource = {
    getRows: ({ startRow, endRow, successCallback, failCallback }) => {
      const { query } = this;
      if (!query) return;
      commands.eventList({ ...query, upTo: this.newestShown }, startRow, endRow - startRow).then(
        ({ rows, total, unread }) => {
          // Discards the response to an earlier query.
          if (this.query !== query) {
            failCallback();
            return;
          }
          const exact = this.state.unfiltered || total < COUNT_LIMIT;
          const last = rows.length < endRow - startRow ? startRow + rows.length : -1;
          this.set({ total, exact, unread });
          this.neighbours(rows);
          successCallback(rows, exact ? total : last);
        },
        (cause: unknown) => {
          failCallback();
          showProblemNotice(cause);
        },
      );
    },
  };

  /** Returns the time of the next older event, undefined if unknown. */
  before(event: number): string | undefined {
    return this.older.get(event);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly now = (): FeedState => this.state;

  ready(api: GridApi<EventLine>): void {
    this.api = api;
  }

  /** Starts a new query. `unfiltered` means that it is filtered only by site. */
  startQuery(query: EventQuery, unfiltered: boolean): void {
    [this.query, this.newestShown, this.top] = [query, null, true];
    this.older.clear();
    this.set({ ...EMPTY_STATE, unfiltered });
    const grid = this.grid();
    this.untick();
    grid?.purgeInfiniteCache();
    if (grid && grid.getDisplayedRowCount() > 0) grid.ensureIndexVisible(0, 'top');
    this.settle();
  }

  untick(): void {
    this.grid()?.deselectAll();
  }

  /** Called when the list is scrolled. `top` is true if the newest event is visible. */
  scrolled(top: boolean): void {
    this.top = top;
    this.settle();
  }

  /** Called when an event is opened or closed. */
  look(looking: boolean): void {
    this.looking = looking;
    this.settle();
  }

  /** Goes to the newest event, even if an event is open. */
  follow(): void {
    [this.newestShown, this.top] = [null, true];
    this.set({ newEvents: 0 });
    const grid = this.grid();
    if (!grid) return;
    grid.refreshInfiniteCache();
    if (grid.getDisplayedRowCount() > 0) grid.ensureIndexVisible(0, 'top');
  }

  /** Called when events arrive. */
  onEvent(): void {
    this.waiting ??= setTimeout(() => {
      this.waiting = undefined;
      this.refreshAfterEvents();
    }, REFRESH_INTERVAL);
  }

  private refreshAfterEvents(): void {
    const grid = this.grid();
    if (grid && this.newestShown === null && !(this.looking && this.first() !== undefined)) {
      grid.refreshInfiniteCache();
      return;
    }
    this.settle();
    const { query, newestShown } = this;
    if (!query) return;
    commands
      .eventList({ ...query, upTo: null }, 0, 1)
      .then(({ total }) => {
        if (this.query !== query || this.newestShown !== newestShown) return;
        const before = this.state.total;
        if (!grid) this.set({ total });
        else this.set({ newEvents: this.state.exact && before !== null ? Math.max(0, total - before) : null });
      })
      .catch(showProblemNotice);
  }

  /** Returns the ID of the event above or below another one. Undefined if there is none. */
  turn(event: number, by: 1 | -1): number | undefined {
    const grid = this.grid();
    const at = grid?.getRowNode(String(event))?.rowIndex;
    if (!grid || at === undefined || at === null) return undefined;
    const next = at + by;
    if (next < 0 || next >= grid.getDisplayedRowCount()) return undefined;
    grid.ensureIndexVisible(next);
    return grid.getDisplayedRowAtIndex(next)?.data?.id;
  }

  /** Pauses the list while it is scrolled down or an event is open. Otherwise new events are shown. */
  private settle(): void {
    if (this.looking || !this.top) {
      this.newestShown ??= this.first() ?? null;
    } else if (this.newestShown !== null) {
      this.newestShown = null;
      this.set({ newEvents: 0 });
      this.grid()?.refreshInfiniteCache();
    }
  }

  private neighbours(rows: readonly EventLine[]): void {
    if (this.older.size > MAX_NEIGHBORS) this.older.clear();
    rows.forEach(({ id }, at) => {
      const below = rows[at + 1];
      if (below) this.older.set(id, below.received);
    });
  }

  private first(): number | undefined {
    return this.grid()?.getDisplayedRowAtIndex(0)?.data?.id;
  }

  private grid(): GridApi<EventLine> | null {
    return this.api?.isDestroyed() === false ? this.api : null;
  }

  private set(some: Partial<FeedState>): void {
    this.state = { ...this.state, ...some };
    for (const listener of this.listeners) listener();
  }
}
