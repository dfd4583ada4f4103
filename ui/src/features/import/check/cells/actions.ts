import type { GridRow } from '@/ipc/bindings';
import type { Range } from './cellRange';

/** Actions for the selected cells. Unavailable ones are null. */
export type Actions = {
  /** The cell's Excel name (`D4`), or the columns of several cells (`B:D`). */
  place: string | null;
  /** Number of selected cells and of their rows. */
  count: number;
  rows: number;
  set: (row: number, column: number, text: string) => void;
  clear: (() => void) | null;
  /** Fills from the upper row or left column. A single row or column is filled from the one before it. */
  fillDown: (() => void) | null;
  fillRight: ((order?: readonly number[]) => void) | null;
  /** Fills the cells of the first range into the second, which contains it. */
  fillTo: (from: Range, to: Range) => void;
  /** Copies to the event's clipboard. Rows that aren't loaded are copied later, as text. */
  copy: (clipboard: DataTransfer, loaded: (index: number) => GridRow | undefined) => void;
  /** Pastes a block at the upper left selected cell, and reports the pasted range. */
  paste: (texts: string[][], order: readonly number[], rows: number, show: (range: Range) => void) => void;
  /** The focused cell's text, and its number of occurrences in the column. */
  alike: { text: string; count: number } | null;
  replace: ((to: string) => void) | null;
  /** Actions that exclude or include rows, with the number of affected rows. */
  exclude: { count: number; run: () => void } | null;
  include: { count: number; run: () => void } | null;
  /** Whether the prompt for the replacement is open. */
  asking: boolean;
  ask: (asking: boolean) => void;
};

/** The menu's position, and the element that gets the focus when it closes. */
export type Place = { left: number; top: number; back: HTMLElement | null };
