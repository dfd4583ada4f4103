import type { LinkRow } from './links';

/** The state of the links in a grid, and the click handler. */
export type Marks = {
  ticked: ReadonlySet<string>;
  /** The links on the cleanup list, with any operation code. */
  collected: ReadonlySet<string>;
  toggle: (row: LinkRow) => void;
};
