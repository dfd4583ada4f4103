import type { GridRow } from '@/ipc/bindings';
import type { Range } from './cellRange';

/** Actions for the selected cells. Unavailable actions are null. */
export type Actions = {
  /** The focused cell's Excel name (`D4`), or the columns of a range (`B:D`). */
  selectionName: string | null;
  /** Number of selected cells. */
  count: number;
  /** Number of rows with selected cells. */
  rows: number;
  setCell: (row: number, column: number, text: string) => void;
  clear: (() => void) | null;
  /** Fills the selection from its first row. If the selection is a single row, fills it from the row above. */
  fillDown: (() => void) | null;
  /** Fills the selection from its first column. If the selection is a single column, fills it from the column to its left. */
  fillRight: ((order?: readonly number[]) => void) | null;
  /** Fills the cells of the first range into the second, which contains it. */
  fillTo: (from: Range, to: Range) => void;
  /** Copies to the event's clipboard. Rows that aren't loaded are copied later, as text. */
  copy: (clipboard: DataTransfer, loaded: (index: number) => GridRow | undefined) => void;
  /** Pastes a block at the upper left selected cell, and reports the pasted range. */
  paste: (texts: string[][], order: readonly number[], rows: number, show: (range: Range) => void) => void;
  /** The focused cell's text, and the number of cells in its column with this text. Null without a focused cell. */
  sameText: { text: string; count: number } | null;
  replace: ((to: string) => void) | null;
  /** Excludes the selected rows. `count` is their number. */
  exclude: { count: number; run: () => void } | null;
  /** Includes the selected rows again. `count` is their number. */
  include: { count: number; run: () => void } | null;
  /** Whether the prompt for the replacement is open. */
  isReplacing: boolean;
  setReplacing: (asking: boolean) => void;
};

/** The menu's position, and the element that gets the focus when it closes. */
export type MenuPosition = { left: number; top: number; back: HTMLElement | null };
