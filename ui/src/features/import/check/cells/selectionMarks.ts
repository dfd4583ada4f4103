import { bounds, contains } from './cellRange';
import type { GridSelection } from './gridSelection';

/** Marks of selected cells: inside, at an edge, with the fill handle, or being filled. */
export const MARK_NAMES = ['chosen', 'top', 'bottom', 'left', 'right', 'corner', 'filling'] as const;
export type Mark = (typeof MARK_NAMES)[number];
type Shown = Pick<GridSelection, 'range' | 'filling'>;
type Rule = (shown: Shown, column: number, index: number | null) => boolean;

const isChosen: Rule = ({ range }, column, index) => contains(range, column, index);
const at = (edge: (first: number, last: number, columns: number[], column: number, index: number) => boolean): Rule => (shown, column, index) => {
  const { range } = shown;
  if (!range || index === null || !isChosen(shown, column, index)) return false;
  return edge(...bounds(range), range.columns, column, index);
};

export const marks: Readonly<Record<Mark, Rule>> = {
  // A single cell has no mark, because the grid already frames it.
  chosen: at((first, last, columns) => last > first || columns.length > 1),
  top: at((first, _last, _columns, _column, index) => index === first),
  bottom: at((_first, last, _columns, _column, index) => index === last),
  left: at((_first, _last, columns, column) => columns[0] === column),
  right: at((_first, _last, columns, column) => columns.at(-1) === column),
  corner: at((_first, last, columns, column, index) => index === last && columns.at(-1) === column),
  filling: ({ range, filling }, column, index) => contains(filling, column, index) && !contains(range, column, index),
};

/** Returns the position of a rendered cell, null if it isn't a cell of the file. */
export function cellPosition(target: EventTarget | null): { index: number; column: number } | null {
  const cell = target instanceof Element ? target.closest('.ag-cell') : null;
  const index = cell?.closest('.ag-row')?.getAttribute('row-index') ?? null;
  const column = Number(cell?.getAttribute('col-id') ?? Number.NaN);
  return index === null || Number.isNaN(column) ? null : { index: Number(index), column };
}

/** Marks the selected cells without rendering them again. Cells that scroll into view are marked when they are rendered. */
export function paintSelection(gridElement: Element | null, shown: Shown, names: Readonly<Record<string, string>>): void {
  for (const cell of gridElement?.querySelectorAll('.ag-row .ag-cell') ?? []) {
    const found = cellPosition(cell);
    if (found) for (const name of MARK_NAMES) cell.classList.toggle(names[name] ?? name, marks[name](shown, found.column, found.index));
  }
}
