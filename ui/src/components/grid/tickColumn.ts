import type { ColDef, GridOptions, ICellRendererComp, ICellRendererParams } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

/** The checkbox's labels for screen readers. */
type TickLabels = { ticked: string; unticked: string };

type TickParams = ICellRendererParams & TickLabels;

/**
 * A row's checkbox as one plain element, because one is created for every row that scrolls into view. The grid's checkbox has six
 * elements and two components.
 */
class TickCell implements ICellRendererComp {
  private readonly box = document.createElement('input');
  private readonly show = () => this.draw();
  private params: TickParams | null = null;

  init(params: TickParams): void {
    this.box.type = 'checkbox';
    this.box.tabIndex = -1;
    // With this class name, the grid doesn't treat a click here as a click on the cell.
    this.box.className = 'ag-selection-checkbox';
    this.box.addEventListener('click', (event) => this.press(event));
    this.refresh(params);
  }

  getGui(): HTMLElement {
    return this.box;
  }

  refresh(params: TickParams): boolean {
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

  /** Forwards a click as a space key, the grid's only way to tick a row and, with Shift, a range. */
  private press({ shiftKey, ctrlKey, metaKey }: MouseEvent): void {
    this.params?.eGridCell.dispatchEvent(new KeyboardEvent('keydown', { key: ' ', code: 'Space', shiftKey, ctrlKey, metaKey, bubbles: true, cancelable: true }));
    // The click has toggled the box already. This restores the row's state.
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

/** Rows are ticked with their checkboxes in Takt's own column. Clicking or focusing a row doesn't tick it. */
export const TICK_SELECTION: GridOptions['rowSelection'] = { mode: 'multiRow', checkboxes: false, headerCheckbox: false, enableClickSelection: false };

/** The column's ID, which no response member can have. */
export const TICK_COLUMN_ID = 'row tick';

/** The checkbox column, placed before all others. Its header is for screen readers only. */
export function useTickColumn<T>(): ColDef<T> {
  const { t } = useTranslation();
  return useMemo(() => {
    const heard = (state: string) => `${t('grid.toggleRow')} (${state})`;
    const words: TickLabels = { ticked: heard(t('grid.checked')), unticked: heard(t('grid.unchecked')) };
    return {
      colId: TICK_COLUMN_ID,
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
