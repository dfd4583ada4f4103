import type { ICellRendererComp, ICellRendererParams } from 'ag-grid-community';

import type { EventLine } from '@/ipc/bindings';
import type { EventMark } from '../common/eventMarks';
import styles from '../common/events.module.css';

type Params = ICellRendererParams<EventLine, EventMark[]>;

/** An event's marks. Plain elements: such cells are drawn at every turn of the wheel. */
export class MarksCell implements ICellRendererComp<EventLine> {
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
