import type { CellPlace } from '@/ipc/bindings';
import type { Actions } from './actions';
import { type Range, rangeBetween } from './cellRange';

type SelectionState = {
  range: Range | null;
  actionsOf: ((range: Range | null) => Actions) | null;
  /** The range that the fill handle would fill. */
  filling: Range | null;
  /** The file's columns in display order. */
  order: readonly number[];
};

/** The current selection. The grid's event handlers read it, because they are set only once. */
export class GridSelection {
  private standing: SelectionState = { range: null, actionsOf: null, filling: null, order: [] };

  get range(): Range | null {
    return this.standing.range;
  }

  /** Actions for the current selection, which may not be rendered yet. */
  get actions(): Actions | null {
    return this.standing.actionsOf?.(this.range) ?? null;
  }

  get filling(): Range | null {
    return this.standing.filling;
  }

  get order(): readonly number[] {
    return this.standing.order;
  }

  update(change: Partial<SelectionState>): void {
    this.standing = { ...this.standing, ...change };
  }

  /** Starts a range at the focused cell. Returns undefined if the range already starts there. */
  begin(place: CellPlace): Range | undefined {
    const anchor = this.range?.anchor;
    if (anchor?.column === place.column && anchor.index === place.index) return undefined;
    const range = rangeBetween(this.order, place, place);
    this.update({ range });
    return range;
  }

  /** Extends the range to a cell. */
  extend(head: CellPlace): Range {
    const range = rangeBetween(this.order, this.range?.anchor ?? head, head);
    this.update({ range });
    return range;
  }
}
