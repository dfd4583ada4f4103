import type { ColDef, GridOptions, ICellRendererComp, ICellRendererParams } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** What is heard of a box. */
type TickWords = { ticked: string; unticked: string };

type Params = ICellRendererParams & TickWords;

/**
 * The box of a row that can be ticked: one plain element, for one is made for every row that comes into sight. The grid's own
 * box is six, with a component for each of two.
 */
class TickCell implements ICellRendererComp {
  private readonly box = document.createElement('input');
  private readonly show = () => this.draw();
  private params: Params | null = null;

  init(params: Params): void {
    this.box.type = 'checkbox';
    this.box.tabIndex = -1;
    // By this name the grid knows that a press on it isn't one on the cell.
    this.box.className = 'ag-selection-checkbox';
    this.box.addEventListener('click', (event) => this.press(event));
    this.refresh(params);
  }

  getGui(): HTMLElement {
    return this.box;
  }

  refresh(params: Params): boolean {
    if (this.params?.node !== params.node) {
      this.params?.node.removeEventListener('rowSelected', this.show);
      params.node.addEventListener('rowSelected', this.show);
    }
    this.params = params;
    this.draw();
    return true;
  }

  destroy(): void {
    this.params?.node.removeEventListener('rowSelected', this.show);
  }

  /** The space bar ticks, with Shift from the row before on: the grid knows how, and offers it no other way. */
  private press({ shiftKey, ctrlKey, metaKey }: MouseEvent): void {
    this.params?.eGridCell.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', code: 'Space', shiftKey, ctrlKey, metaKey, bubbles: true, cancelable: true }));
    // A click turned the box already, whatever comes of it.
    this.draw();
  }

  private draw(): void {
    if (!this.params) return;
    const { node, ticked, unticked } = this.params;
    const isTicked = node.isSelected() === true;
    this.box.checked = isTicked;
    this.box.ariaLabel = isTicked ? ticked : unticked;
  }
}

/** Rows that are ticked one by one; looking at one doesn't tick it. The boxes are those of a column of our own. */
export const ticks: GridOptions['rowSelection'] = { mode: 'multiRow', checkboxes: false, headerCheckbox: false, enableClickSelection: false };

/** No member of an answer has such a name. */
export const tickColumnId = 'row tick';

/** The column of the tick boxes, to stand before all others; its heading is heard, not seen. */
export function useTickColumn<T>(): ColDef<T> {
  const { t } = useTranslation();
  return useMemo(() => {
    const heard = (state: string) => `${t('grid.toggleRow')} (${state})`;
    const words: TickWords = { ticked: heard(t('grid.checked')), unticked: heard(t('grid.unchecked')) };
    return {
      colId: tickColumnId,
      headerName: t('table.tickColumn'),
      headerClass: 'hidden-head',
      cellClass: 'tick-cell',
      cellRenderer: TickCell,
      cellRendererParams: words,
      pinned: 'left',
      lockPosition: 'left',
      lockPinned: true,
      lockVisible: true,
      width: 36,
      minWidth: 36,
      resizable: false,
      sortable: false,
      suppressMovable: true,
      suppressAutoSize: true,
    };
  }, [t]);
}
