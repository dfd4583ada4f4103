import type { ICellRendererComp, ICellRendererParams } from 'ag-grid-community';

import type { TableRow } from '@/base/values/cells';

type Params = ICellRendererParams<TableRow, string> & { follow: (value: string) => void };

/** A cell with a link. It uses plain elements, because such cells are created while scrolling. */
export class LinkCell implements ICellRendererComp<TableRow> {
  private readonly button = document.createElement('button');
  private params: Params | null = null;

  init(params: Params): void {
    this.button.type = 'button';
    this.button.tabIndex = -1;
    this.button.className = 'cell-link';
    this.button.addEventListener('click', (event) => {
      event.stopPropagation();
      if (this.params?.value) this.params.follow(this.params.value);
    });
    this.refresh(params);
  }

  getGui(): HTMLElement {
    return this.button;
  }

  refresh(params: Params): boolean {
    this.params = params;
    this.button.textContent = params.value ?? '';
    return true;
  }
}
