import type { GridApi, GridOptions } from 'ag-grid-community';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { PlainGrid } from '@/components/grid/Grid';
import { TICK_SELECTION, useTickColumn } from '@/components/grid/tickColumn';
import { hasOpenOverlay } from '@/components/page/pageKeys';
import type { EventLine } from '@/ipc/bindings';
import { useEventColumns } from './eventColumns';
import type { EventFeed } from './eventFeed';
import { useGaps } from './useGaps';
import styles from '../common/events.module.css';

type Props = { feed: EventFeed; site: string; selected: number | undefined; open: (event?: number) => void; tick: (events: number[]) => void };

/** The event list, loaded block by block. The panel shows the focused event. */
export function EventGrid({ feed, site, selected, open, tick }: Props) {
  const { t } = useTranslation();
  const api = useRef<GridApi<EventLine> | null>(null);
  const columns = useEventColumns();
  const tickColumn = useTickColumn<EventLine>();
  const all = useMemo(() => [tickColumn, ...columns], [tickColumn, columns]);
  const { gaps } = useGaps(site);
  const marked = useRef({ selected, gaps });
  useEffect(() => {
    marked.current = { selected, gaps };
    api.current?.redrawRows();
  }, [selected, gaps]);
  const rules = useMemo<GridOptions<EventLine>['rowClassRules']>(
    () => ({
      [styles.chosen ?? '']: ({ data }) => data !== undefined && data.id === marked.current.selected,
      [styles.afterGap ?? '']: ({ data }) => {
        const before = data && feed.before(data.id);
        return before !== undefined && marked.current.gaps.some((gap) => between(gap, before, data?.received ?? ''));
      },
    }),
    [feed],
  );
  const options: GridOptions<EventLine> = {
    ...BASE_OPTIONS,
    rowClassRules: rules,
    datasource: feed.source,
    onSelectionChanged: ({ api: grid }) => tick(grid.getSelectedNodes().map(({ id }) => Number(id))),
    onCellFocused: ({ rowIndex, column, api: grid }) => {
      // A click on the checkbox doesn't open the event.
      if (typeof column !== 'object' || !columns.some(({ colId }) => colId === column?.getColId())) return;
      const event = rowIndex === null ? undefined : grid.getDisplayedRowAtIndex(rowIndex)?.data;
      if (event && event.id !== selected) open(event.id);
    },
    onBodyScroll: ({ api: grid }) => feed.scrolled(grid.getFirstDisplayedRowIndex() <= 0 && grid.getVerticalPixelRange().top < 8),
    onCellKeyDown: ({ event }) => {
      if (!(event instanceof KeyboardEvent)) return;
      if (event.key === 'Escape' && !hasOpenOverlay()) open();
      if (event.key === 'Enter') document.querySelector<HTMLElement>('#event-panel [tabindex="0"]')?.focus();
    },
  };
  return (
    <PlainGrid
      label={t('inbox.title')}
      testId="grid-events"
      columns={all}
      options={options}
      onReady={(made) => {
        api.current = made;
        feed.ready(made);
      }}
    />
  );
}

function between({ since, until }: { since: string; until: string }, before: string, after: string): boolean {
  return Date.parse(before) <= Date.parse(since) + TIME_TOLERANCE && Date.parse(after) >= Date.parse(until) - TIME_TOLERANCE;
}

/** Tolerance when comparing times, in milliseconds. */
const TIME_TOLERANCE = 1000;

const BASE_OPTIONS: GridOptions<EventLine> = {
  rowModelType: 'infinite',
  cacheBlockSize: 200,
  maxBlocksInCache: 20,
  getRowId: ({ data }) => String(data.id),
  rowSelection: TICK_SELECTION,
};
