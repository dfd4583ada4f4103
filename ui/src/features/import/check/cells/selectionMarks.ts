import { rowBounds, isInRange } from './cellRange';
import type { GridSelection } from './gridSelection';

/** Marks of selected cells: inside, at an edge, with the fill handle, or being filled. */
export const MARK_NAMES = ['chosen', 'top', 'bottom', 'left', 'right', 'corner', 'filling'] as const;
export type Mark = (typeof MARK_NAMES)[number];
type MarkedRanges = Pick<GridSelection, 'range' | 'filling'>;
type MarkRule = (shown: MarkedRanges, column: number, index: number | null) => boolean;

const isChosen: MarkRule = ({ range }, column, index) => isInRange(range, column, index);
const atEdge = (edge: (first: number, last: number, columns: number[], column: number, index: number) => boolean): MarkRule => (shown, column, index) => {
  const { range } = shown;
  if (!range || index === null || !isChosen(shown, column, index)) return false;
  return edge(...rowBounds(range), range.columns, column, index);
};

export const MARK_RULES: Readonly<Record<Mark, MarkRule>> = {
  // A single cell has no mark, because the grid already frames it.
  chosen: atEdge((first, last, columns) => last > first || columns.length > 1),
  top: atEdge((first, _last, _columns, _column, index) => index === first),
  bottom: atEdge((_first, last, _columns, _column, index) => index === last),
  left: atEdge((_first, _last, columns, column) => columns[0] === column),
  right: atEdge((_first, _last, columns, column) => columns.at(-1) === column),
  corner: atEdge((_first, last, columns, column, index) => index === last && columns.at(-1) === column),
  filling: ({ range, filling }, column, index) => isInRange(filling, column, index) && !isInRange(range, column, index),
};

/** Returns the position of a rendered cell, null if it isn't a cell of the file. */
export function cellPosition(target: EventTarget | null): { index: number; column: number } | null {
  const cell = target instanceof Element ? target.closest('.ag-cell') : null;
  const index = cell?.closest('.ag-row')?.getAttribute('row-index') ?? null;
  const column = Number(cell?.getAttribute('col-id') ?? Number.NaN);
  return index === null || Number.isNaN(column) ? null : { index: Number(index), column };
}

/** Marks the selected cells without rendering them again. Cells that scroll into view are marked when they are rendered. */
export function paintSelection(gridElement: Element | null, shown: MarkedRanges, names: Readonly<Record<string, string>>): void {
  for (const cell of gridElement?.querySelectorAll('.ag-row .ag-cell') ?? []) {
    const found = cellPosition(cell);
    if (found) for (const name of MARK_NAMES) cell.classList.toggle(names[name] ?? name, MARK_RULES[name](shown, found.column, found.index));
  }
}
