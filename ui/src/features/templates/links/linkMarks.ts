import type { LinkRow } from './links';

/** The state of the links in a grid, and the click handler. */
export type Marks = {
  ticked: ReadonlySet<string>;
  /** Links on the cleanup list, whatever their operation code. */
  collected: ReadonlySet<string>;
  toggle: (row: LinkRow) => void;
};
