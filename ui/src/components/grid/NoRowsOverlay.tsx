import type { INoRowsOverlayComp, INoRowsOverlayParams } from 'ag-grid-community';
import { type Root, createRoot } from 'react-dom/client';

import { EmptyState } from '@/components/page/EmptyState';

export type NoRowsParams = { text: string };

/** A grid's picture and sentence if no row matches. A class works in grids with and without React. */
export class NoRowsOverlay implements INoRowsOverlayComp {
  private readonly element = document.createElement('div');
  private root: Root | null = null;

  init({ text }: INoRowsOverlayParams & NoRowsParams): void {
    this.root = createRoot(this.element);
    this.root.render(<EmptyState picture="search" text={text} />);
  }

  getGui(): HTMLElement {
    return this.element;
  }

  destroy(): void {
    const { root } = this;
    // The grid may be destroyed while React renders, and React can't unmount a root then.
    queueMicrotask(() => root?.unmount());
  }
}
