import type { LinkRow } from './links';

/** What a grid shows of each link beside what was read, and what a click does. */
export type Marks = {
  ticked: ReadonlySet<string>;
  /** Links that stand on the cleanup list, whatever their operation code. */
  collected: ReadonlySet<string>;
  toggle: (row: LinkRow) => void;
};
