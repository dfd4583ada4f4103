import type { ColDef, GridApi, GridOptions, ICellRendererComp, ICellRendererParams } from 'ag-grid-community';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { useEventTitle } from '@/base/useEventTitle';
import { useFormats } from '@/base/useFormats';
import { PlainGrid } from '@/components/grid/Grid';
import { TICK_SELECTION, useTickColumn } from '@/components/grid/tickColumn';
import { hasOpenOverlay } from '@/components/page/pageKeys';
import type { EventLine } from '@/ipc/bindings';
import { type EventMark, useEventMarks } from '../common/eventMarks';
import type { EventFeed } from './eventFeed';
import { useGaps } from './useGaps';
import styles from '../common/events.module.css';

type Params = ICellRendererParams<EventLine, EventMark[]>;

/** A cell with an event's marks. It uses plain elements, because such cells are created while scrolling. */
class MarksCell implements ICellRendererComp<EventLine> {
  private readonly place = document.createElement('span');

  init(params: Params): void {
    this.place.className = styles.marks ?? '';
    this.refresh(params);
  }

  getGui(): HTMLElement {
    return this.place;
  }

  refresh({ value }: Params): boolean {
    this.place.replaceChildren(...(value ?? []).map(createMark));
    return true;
  }
}

function createMark({ sign, word, tone }: EventMark): HTMLElement {
  const mark = document.createElement('span');
  mark.dataset.tone = tone;
  const shape = document.createElement('span');
  shape.ariaHidden = 'true';
  shape.textContent = sign;
  mark.append(shape, ` ${word}`);
  return mark;
}

/** Returns the list's columns. Cells render without React. */
function useEventColumns(): ColDef<EventLine>[] {
  const { t } = useTranslation();
  const { dateTime, timeOfDay, date } = useFormats();
  const title = useEventTitle();
  const marks = useEventMarks();
  return useMemo(() => {
    const when = (iso: string) => {
      const at = new Date(iso);
      // `date` expects wall time given as if it were UTC.
      const day = Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
      return at.toDateString() === new Date().toDateString() ? timeOfDay(iso) : `${date(day)} ${timeOfDay(iso)}`;
    };
    return [
      { colId: 'received', headerName: t('inbox.columns.received'), width: 104, cellClass: 'number', valueGetter: ({ data }) => data && when(data.received), tooltipValueGetter: ({ data }) => data && dateTime(data.received) },
      { colId: 'kind', headerName: t('inbox.columns.kind'), width: 200, valueGetter: ({ data }) => data && title(data) },
      { colId: 'order', headerName: t('inbox.columns.order'), width: 116, cellClass: 'mono', valueGetter: ({ data }) => data && ordersText(data) },
      { colId: 'station', headerName: t('inbox.columns.station'), width: 150, valueGetter: ({ data }) => data && codeAndName(data.station, data.stationName) },
      { colId: 'person', headerName: t('inbox.columns.person'), width: 116, valueGetter: ({ data }) => data && codeAndName(data.employee, data.person) },
      { colId: 'marks', headerName: t('inbox.columns.marks'), width: 190, valueGetter: ({ data }) => data && marks(data), cellRenderer: MarksCell },
      { colId: 'description', headerName: t('inbox.columns.description'), flex: 1, minWidth: 110, field: 'description', tooltipField: 'description' },
    ];
  }, [t, dateTime, timeOfDay, date, title, marks]);
}

/** The first order and the number of further ones. */
function ordersText({ order, orders: all }: EventLine): string {
  if (order === null) return '';
  return all > 1 ? `${order} +${all - 1}` : order;
}

function codeAndName(code: string | null, name: string | null): string {
  return [code, name].filter((part) => part !== null && part !== '').join(' · ');
}

type Props = { feed: EventFeed; site: string; selected: number | undefined; open: (event?: number) => void; onTick: (events: number[]) => void };

/** The event list, loaded block by block. The panel shows the focused event. */
export function EventGrid({ feed, site, selected, open, onTick }: Props) {
  const { t } = useTranslation();
  const api = useRef<GridApi<EventLine> | null>(null);
  const columns = useEventColumns();
  const tickColumn = useTickColumn<EventLine>();
  const all = useMemo(() => [tickColumn, ...columns], [tickColumn, columns]);
  const { gaps } = useGaps(site);
  const latest = useRef({ selected, gaps });
  useEffect(() => {
    latest.current = { selected, gaps };
    api.current?.redrawRows();
  }, [selected, gaps]);
  const rules = useMemo<GridOptions<EventLine>['rowClassRules']>(
    () => ({
      [styles.chosen ?? '']: ({ data }) => data !== undefined && data.id === latest.current.selected,
      [styles.afterGap ?? '']: ({ data }) => {
        const before = data && feed.before(data.id);
        return before !== undefined && latest.current.gaps.some((gap) => isGapBetween(gap, before, data?.received ?? ''));
      },
    }),
    [feed],
  );
  const options: GridOptions<EventLine> = {
    ...BASE_OPTIONS,
    rowClassRules: rules,
    datasource: feed.source,
    onSelectionChanged: ({ api: grid }) => onTick(grid.getSelectedNodes().map(({ id }) => Number(id))),
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

function isGapBetween({ since, until }: { since: string; until: string }, before: string, after: string): boolean {
  return Date.parse(before) <= Date.parse(since) + TIME_TOLERANCE && Date.parse(after) >= Date.parse(until) - TIME_TOLERANCE;
}

/** Tolerance when comparing the times of events and gaps, in milliseconds. */
const TIME_TOLERANCE = 1000;

const BASE_OPTIONS: GridOptions<EventLine> = {
  rowModelType: 'infinite',
  cacheBlockSize: 200,
  maxBlocksInCache: 20,
  getRowId: ({ data }) => String(data.id),
  rowSelection: TICK_SELECTION,
};
