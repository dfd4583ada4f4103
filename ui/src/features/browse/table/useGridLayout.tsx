import { IconChevronDown, IconFilterFilled } from '@tabler/icons-react';
import type { ColDef, GridApi, GridOptions, IHeaderParams, IInnerHeaderComponent } from 'ag-grid-community';
import { createElement, useEffect, useMemo, useRef, useState } from 'react';
import { type Root, createRoot } from 'react-dom/client';
import { useTranslation } from 'react-i18next';

import type { ValueLinks } from '@/base/links/useValueLinks';
import { useNavigation } from '@/base/navigation';
import type { TableRow, CellFormats } from '@/base/values/cells';
import { type TableColumn, gridColumns } from './columns';
import { applyLayout, readLayout } from './tableLayout';
import type { Table } from './useTable';
import styles from './table.module.css';

type HeaderCellParams = {
  open: (path: string, at: Element) => void;
  filtered: ReadonlySet<string>;
  menuOf: (column: string) => string;
};

type Params = IHeaderParams & HeaderCellParams;

/** The header of a column: its name and its menu button. */
class HeaderCell implements IInnerHeaderComponent {
  private readonly head = createHtmlElement('span', styles.head);
  private readonly text = createHtmlElement('span', styles.headText);
  private readonly button = createHtmlElement('button', styles.headButton);
  private readonly icon: Root = createRoot(this.button);
  private params: Params | null = null;

  init(params: Params): void {
    this.button.type = 'button';
    this.button.tabIndex = -1;
    // A click elsewhere on the header sorts.
    this.button.addEventListener('pointerdown', (event) => event.stopPropagation());
    this.button.addEventListener('click', (event) => {
      event.stopPropagation();
      this.params?.open(this.params.column.getColId(), this.button);
    });
    this.head.append(this.text, this.button);
    this.refresh(params);
  }

  getGui(): HTMLElement {
    return this.head;
  }

  refresh(params: Params): boolean {
    this.params = params;
    const path = params.column.getColId();
    const filtered = params.filtered.has(path);
    this.text.textContent = params.displayName;
    this.button.dataset.filtered = String(filtered);
    this.button.dataset.testid = `column-${path}`;
    this.button.setAttribute('aria-label', params.menuOf(params.displayName));
    this.icon.render(createElement(filtered ? IconFilterFilled : IconChevronDown, { size: 12, 'aria-hidden': true }));
    return true;
  }

  destroy(): void {
    this.icon.unmount();
  }
}

function createHtmlElement<K extends keyof HTMLElementTagNameMap>(name: K, className: string | undefined): HTMLElementTagNameMap[K] {
  const created = document.createElement(name);
  created.className = className ?? '';
  return created;
}

type OpenColumnMenu = (path: string, at: Element) => void;
type ColumnDefinitionInput = { columns: readonly TableColumn[]; words: CellFormats; table: Table; key: readonly string[]; open: OpenColumnMenu; places: ValueLinks };

/** Returns the grid's columns, with the table's stored view as initial state. */
export function useColumnDefinitions({ columns, words, table, key, open, places }: ColumnDefinitionInput): ColDef<TableRow>[] {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const [begin] = useState(table.view);
  const { filters, spans } = table.view;
  return useMemo(() => {
    const header = {
      innerHeaderComponent: HeaderCell,
      innerHeaderComponentParams: { open, filtered: new Set(filters.map(({ path }) => path)), menuOf: (column: string) => t('table.columnMenu', { column }) },
    };
    const spanUnit = spans === 'words' ? '' : t(`table.span.${spans}`);
    const links = new Map([...places].map(([path, place]) => [path, (value: string) => go(place(value))]));
    return gridColumns({ columns, words, view: begin, key, spanUnit, header, open, links });
  }, [columns, words, begin, filters, spans, key, open, places, go, t]);
}

/** Applies the table's view to the grid when the grid is created and when a view is chosen. */
export function useViewLayout(api: GridApi<TableRow> | null, { view, applied }: Table, columns: readonly TableColumn[], key: readonly string[]): void {
  const now = useRef({ view, columns, key });
  useEffect(() => {
    now.current = { view, columns, key };
  });
  useEffect(() => {
    const { view: left, columns: all, key: first } = now.current;
    const next = applied?.view ?? left;
    if (api && (applied || next.columns.length > 0)) applyLayout(api, next, all, first);
  }, [api, applied]);
}

/** Refreshes the grid when further pages add rows to the set. */
export function useRefreshOnGrowth(api: GridApi<TableRow> | null, size: number, set: number | null): void {
  const previous = useRef({ set, size });
  useEffect(() => {
    const grew = previous.current.set === set && previous.current.size !== size;
    previous.current = { set, size };
    if (grew) api?.refreshInfiniteCache();
  }, [api, size, set]);
}

/** Calls `onChange` when the value changes, but not on the first render. */
export function useOnChange(value: unknown, onChange: () => void): void {
  const previous = useRef(value);
  useEffect(() => {
    if (previous.current === value) return;
    previous.current = value;
    onChange();
  }, [value, onChange]);
}

/** Stores the user's changes to the columns. */
export function layoutListeners(paths: ReadonlySet<string>, table: Table): GridOptions<TableRow> {
  const storeState = ({ api, source, finished = true }: { api: GridApi<TableRow>; source: string; finished?: boolean }) => {
    if (finished && isUserChange(source)) table.change(readLayout(api.getColumnState(), paths));
  };
  return { onColumnMoved: storeState, onColumnResized: storeState, onColumnPinned: storeState, onColumnVisible: storeState, onSortChanged: storeState };
}

/** Whether an event comes from the user. `api` is the source of the column menu's changes. Applying a view has another source. */
function isUserChange(source: string): boolean {
  return source.startsWith('ui') || source === 'api' || source === 'autosizeColumns';
}
