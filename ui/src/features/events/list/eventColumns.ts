import type { ColDef, ICellRendererComp, ICellRendererParams } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useEventTitle } from '@/base/useEventTitle';
import { useFormats } from '@/base/useFormats';
import type { EventLine } from '@/ipc/bindings';

import { type EventMark, useEventMarks } from '../common/eventMarks';
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
    this.place.replaceChildren(...(value ?? []).map(drawn));
    return true;
  }
}

function drawn({ sign, word, tone }: EventMark): HTMLElement {
  const mark = document.createElement('span');
  mark.dataset.tone = tone;
  const shape = document.createElement('span');
  shape.ariaHidden = 'true';
  shape.textContent = sign;
  mark.append(shape, ` ${word}`);
  return mark;
}

/** Returns the list's columns. Cells render without React. */
export function useEventColumns(): ColDef<EventLine>[] {
  const { t } = useTranslation();
  const { moment, timeOfDay, date } = useFormats();
  const title = useEventTitle();
  const marks = useEventMarks();
  return useMemo(() => {
    const when = (iso: string) => {
      const at = new Date(iso);
      // The local day as if it were UTC, because `date` reads wall time.
      const day = Date.UTC(at.getFullYear(), at.getMonth(), at.getDate());
      return at.toDateString() === new Date().toDateString() ? timeOfDay(iso) : `${date(day)} ${timeOfDay(iso)}`;
    };
    return [
      { colId: 'received', headerName: t('inbox.columns.received'), width: 104, cellClass: 'number', valueGetter: ({ data }) => data && when(data.received), tooltipValueGetter: ({ data }) => data && moment(data.received) },
      { colId: 'kind', headerName: t('inbox.columns.kind'), width: 200, valueGetter: ({ data }) => data && title(data) },
      { colId: 'order', headerName: t('inbox.columns.order'), width: 116, cellClass: 'mono', valueGetter: ({ data }) => data && orders(data) },
      { colId: 'station', headerName: t('inbox.columns.station'), width: 150, valueGetter: ({ data }) => data && both(data.station, data.stationName) },
      { colId: 'person', headerName: t('inbox.columns.person'), width: 116, valueGetter: ({ data }) => data && both(data.employee, data.person) },
      { colId: 'marks', headerName: t('inbox.columns.marks'), width: 190, valueGetter: ({ data }) => data && marks(data), cellRenderer: MarksCell },
      { colId: 'description', headerName: t('inbox.columns.description'), flex: 1, minWidth: 110, field: 'description', tooltipField: 'description' },
    ];
  }, [t, moment, timeOfDay, date, title, marks]);
}

/** The first order and the number of further ones. */
function orders({ order, orders: all }: EventLine): string {
  if (order === null) return '';
  return all > 1 ? `${order} +${all - 1}` : order;
}

function both(code: string | null, name: string | null): string {
  return [code, name].filter((part) => part !== null && part !== '').join(' · ');
}
