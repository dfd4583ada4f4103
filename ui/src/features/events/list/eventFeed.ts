import type { GridApi, IDatasource } from 'ag-grid-community';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { type EventLine, type EventQuery, commands } from '@/ipc/bindings';

/** How the list stands. */
export type FeedState = {
  /** How many fit; null before that is known. */
  total: number | null;
  /** False where there may be more than were counted. */
  exact: boolean;
  /** Events that came and can't be listed yet. */
  unread: number;
  /** Events that came since the list stands still; null where there are some, and nobody counted them. */
  fresh: number | null;
};

/** The engine counts no further where more than the site is asked for. */
const counted = 10_000;
/** More often nobody can follow. Milliseconds. */
const settling = 400;
/** Events whose neighbours are known at a time; more than stand in the grid. */
const mostKnown = 20_000;
const nothing: FeedState = { total: null, exact: true, unread: 0, fresh: 0 };

/**
 * A list that goes on growing while it is looked at. At the top it follows what comes; where a person has scrolled away or
 * looks at one event it stands still, and counts what comes.
 */
export class EventFeed {
  state = nothing;
  private query: EventQuery | null = null;
  private wide = true;
  private api: GridApi<EventLine> | null = null;
  private readonly listeners = new Set<() => void>();
  /** Nothing that came after this one is shown. */
  private standing: number | null = null;
  /** By an event: when the one below it came. */
  private readonly older = new Map<number, string>();
  private top = true;
  private looking = false;
  private waiting: ReturnType<typeof setTimeout> | undefined;

  /** For the grid: rows of what is asked now. */
  readonly source: IDatasource = {
    getRows: ({ startRow, endRow, successCallback, failCallback }) => {
      const { query } = this;
      if (!query) return;
      commands.eventList({ ...query, upTo: this.standing }, startRow, endRow - startRow).then(
        ({ rows, total, unread }) => {
          // What answers an earlier question says nothing of this one.
          if (this.query !== query) {
            failCallback();
            return;
          }
          const exact = this.wide || total < counted;
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

  /** When the event came that stands below this one; undefined where that isn't known. */
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

  /** QueryParameter anew; `wide` where no more than the site is said. */
  ask(query: EventQuery, wide: boolean): void {
    [this.query, this.wide, this.standing, this.top] = [query, wide, null, true];
    this.older.clear();
    this.set(nothing);
    const grid = this.grid();
    this.untick();
    grid?.purgeInfiniteCache();
    if (grid && grid.getDisplayedRowCount() > 0) grid.ensureIndexVisible(0, 'top');
    this.settle();
  }

  /** Nothing is ticked any more. */
  untick(): void {
    this.grid()?.deselectAll();
  }

  /** A person looks at the newest, or further down. */
  scrolled(top: boolean): void {
    this.top = top;
    this.settle();
  }

  /** A person looks at one event. */
  look(looking: boolean): void {
    this.looking = looking;
    this.settle();
  }

  /** Goes to the newest, also while one event is looked at. */
  follow(): void {
    [this.standing, this.top] = [null, true];
    this.set({ fresh: 0 });
    const grid = this.grid();
    if (!grid) return;
    grid.refreshInfiniteCache();
    if (grid.getDisplayedRowCount() > 0) grid.ensureIndexVisible(0, 'top');
  }

  /** Events came. */
  onEvent(): void {
    this.waiting ??= setTimeout(() => {
      this.waiting = undefined;
      this.came();
    }, settling);
  }

  private came(): void {
    const grid = this.grid();
    if (grid && this.standing === null && !(this.looking && this.first() !== undefined)) {
      grid.refreshInfiniteCache();
      return;
    }
    this.settle();
    const { query, standing } = this;
    if (!query) return;
    commands
      .eventList({ ...query, upTo: null }, 0, 1)
      .then(({ total }) => {
        if (this.query !== query || this.standing !== standing) return;
        const before = this.state.total;
        if (!grid) this.set({ total });
        else this.set({ fresh: this.state.exact && before !== null ? Math.max(0, total - before) : null });
      })
      .catch(showProblemNotice);
  }

  /** The event above or below another one. */
  turn(event: number, by: 1 | -1): number | undefined {
    const grid = this.grid();
    const at = grid?.getRowNode(String(event))?.rowIndex;
    if (!grid || at === undefined || at === null) return undefined;
    const next = at + by;
    if (next < 0 || next >= grid.getDisplayedRowCount()) return undefined;
    grid.ensureIndexVisible(next);
    return grid.getDisplayedRowAtIndex(next)?.data?.id;
  }

  /** Stands still or follows, as a person looks. */
  private settle(): void {
    if (this.looking || !this.top) {
      this.standing ??= this.first() ?? null;
    } else if (this.standing !== null) {
      this.standing = null;
      this.set({ fresh: 0 });
      this.grid()?.refreshInfiniteCache();
    }
  }

  private neighbours(rows: readonly EventLine[]): void {
    if (this.older.size > mostKnown) this.older.clear();
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
