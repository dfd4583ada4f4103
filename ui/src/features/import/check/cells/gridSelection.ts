import type { CellPlace } from '@/ipc/bindings';
import type { Actions } from './actions';
import { type Range, block } from './cellRange';

type Standing = {
  range: Range | null;
  actionsOf: ((range: Range | null) => Actions) | null;
  /** Cells that the fill handle would fill. */
  filling: Range | null;
  /** The file's columns as they stand from left to right. */
  order: readonly number[];
};

/** What the grid's own events need of the page as it stands when they come; the grid keeps its options for good. */
export class GridSelection {
  private standing: Standing = { range: null, actionsOf: null, filling: null, order: [] };

  get range(): Range | null {
    return this.standing.range;
  }

  /** For the cells that are chosen now, whether the page has drawn them or not. */
  get actions(): Actions | null {
    return this.standing.actionsOf?.(this.range) ?? null;
  }

  get filling(): Range | null {
    return this.standing.filling;
  }

  get order(): readonly number[] {
    return this.standing.order;
  }

  take(change: Partial<Standing>): void {
    this.standing = { ...this.standing, ...change };
  }

  /** A cell has the focus. Absent: it is where the block begins already. */
  begin(place: CellPlace): Range | undefined {
    const anchor = this.range?.anchor;
    if (anchor?.column === place.column && anchor.index === place.index) return undefined;
    const range = block(this.order, place, place);
    this.take({ range });
    return range;
  }

  /** The block from where it was begun to a cell. */
  extend(head: CellPlace): Range {
    const range = block(this.order, this.range?.anchor ?? head, head);
    this.take({ range });
    return range;
  }
}
