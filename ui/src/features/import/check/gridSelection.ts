import type { Range } from './cellRange';
import type { Actions } from './useCellActions';

type PlanStatus = {
  range: Range | null;
  actions: Actions | null;
  /** True while a click with Shift draws a range. */
  extending: boolean;
  /** Where a range would begin. */
  anchor: { column: number; index: number } | null;
};

/** What the grid's own events need of the page as it stands when they come; the grid keeps its options for good. */
export class GridSelection {
  private standing: PlanStatus = { range: null, actions: null, extending: false, anchor: null };

  get range(): Range | null {
    return this.standing.range;
  }

  get actions(): Actions | null {
    return this.standing.actions;
  }

  take(change: Partial<PlanStatus>): void {
    this.standing = { ...this.standing, ...change };
  }

  /** A cell has the focus: with Shift the cells from the anchor on are chosen; without, the anchor moves. Absent: nothing changes. */
  draw(column: number | null, index: number | null): Range | null | undefined {
    const { anchor, extending } = this.standing;
    if (column === null || index === null) return undefined;
    if (extending && anchor?.column === column) return { column, from: anchor.index, to: index };
    if (anchor?.column === column && anchor.index === index) return undefined;
    this.take({ anchor: { column, index } });
    return null;
  }
}
