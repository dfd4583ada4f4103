import type { GridRow } from '@/ipc/bindings';
import type { Range } from './cellRange';

/** What can be done with the chosen cells; each that can't is absent. */
export type Actions = {
  /** As Excel names it: `D4`; of several cells their columns, `B:D`. */
  place: string | null;
  /** Cells that are chosen, and in how many rows. */
  count: number;
  rows: number;
  set: (row: number, column: number, text: string) => void;
  clear: (() => void) | null;
  /** From the upper row, or the left column; a single one takes what stands before it. */
  fillDown: (() => void) | null;
  fillRight: ((order?: readonly number[]) => void) | null;
  /** The cells of the first block are filled into the second, which holds it. */
  fillTo: (from: Range, to: Range) => void;
  /** Into the event's clipboard; rows that aren't loaded come later, as text. */
  copy: (clipboard: DataTransfer, loaded: (index: number) => GridRow | undefined) => void;
  /** Puts a block of texts where the chosen cells begin, and says which cells hold them then. */
  paste: (texts: string[][], order: readonly number[], rows: number, show: (range: Range) => void) => void;
  /** The text that stands in so many cells of the column. */
  alike: { text: string; count: number } | null;
  replace: ((to: string) => void) | null;
  /** Rows that would be left out, and rows that would be taken in again. */
  exclude: { count: number; run: () => void } | null;
  include: { count: number; run: () => void } | null;
  /** Whether the person is being asked for the text that replaces. */
  asking: boolean;
  ask: (asking: boolean) => void;
};

/** Where the menu opens, and what has the focus again when it closes. */
export type Place = { left: number; top: number; back: HTMLElement | null };
