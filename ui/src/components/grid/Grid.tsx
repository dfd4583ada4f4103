import {
  type CellKeyDownEvent,
  CellStyleModule,
  ClientSideRowModelModule,
  type ColDef,
  ColumnApiModule,
  ColumnAutoSizeModule,
  EventApiModule,
  type FullWidthCellKeyDownEvent,
  type GridApi,
  type GridOptions,
  InfiniteRowModelModule,
  LocaleModule,
  type ManagedGridOptions,
  ModuleRegistry,
  PinnedRowModule,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
  TextEditorModule,
  TooltipModule,
  createGrid,
  themeQuartz,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '@/base/preferences';

import { type NoRowsParams, NoRowsOverlay } from './NoRowsOverlay';
import styles from './grid.module.css';

/** The attribute of a table that is scrolled horizontally, or is about to be. */
const SCROLLED_ATTRIBUTE = 'data-scrolled-horizontally';
const SCROLLBAR_SELECTOR = '.ag-body-horizontal-scroll';
const VIEWPORT_SELECTOR = '.ag-grid-viewport';

/**
 * Makes pinned columns sticky only while the table is scrolled horizontally. Each sticky part is a separate layer, which slows
 * down every frame. Returns a cleanup function.
 */
function watchHorizontalScroll(root: HTMLElement): () => void {
  const mark = (isScrolled: boolean) => root.toggleAttribute(SCROLLED_ATTRIBUTE, isScrolled);
  // These events arrive before the table moves.
  const handleWheel = ({ deltaX, deltaY, shiftKey }: WheelEvent) => {
    if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) mark(true);
  };
  const handlePointerDown = ({ target }: PointerEvent) => {
    if (target instanceof Element && target.closest(SCROLLBAR_SELECTOR)) mark(true);
  };
  // The grid's own scroll events miss a movement that starts while its scrollbar still moves.
  const handleScroll = ({ target }: Event) => {
    if (target instanceof Element && target.matches(VIEWPORT_SELECTOR)) mark(target.scrollLeft > 0);
  };
  root.addEventListener('wheel', handleWheel, { capture: true, passive: true });
  root.addEventListener('pointerdown', handlePointerDown, { capture: true, passive: true });
  root.addEventListener('scroll', handleScroll, { capture: true, passive: true });
  return () => {
    root.removeEventListener('wheel', handleWheel, { capture: true });
    root.removeEventListener('pointerdown', handlePointerDown, { capture: true });
    root.removeEventListener('scroll', handleScroll, { capture: true });
  };
}

ModuleRegistry.registerModules([
  CellStyleModule,
  ClientSideRowModelModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  EventApiModule,
  InfiniteRowModelModule,
  LocaleModule,
  PinnedRowModule,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
  TextEditorModule,
  TooltipModule,
]);

export type GridProps<T> = {
  label: string;
  testId: string;
  columns: ColDef<T>[];
  options: GridOptions<T>;
  headerHeight?: number;
  onReady?: (api: GridApi<T>) => void;
};

/** AG Grid with the window's tokens, texts and row height. */
export function Grid<T>({ label, testId, columns, options, headerHeight, onReady }: GridProps<T>) {
  const { words, ...shared } = useSharedOptions<T>(headerHeight);
  const container = useRef<HTMLElement>(null);
  useEffect(() => (container.current ? watchHorizontalScroll(container.current) : undefined), []);
  return (
    <section ref={container} className={styles.grid} data-testid={testId} aria-label={label}>
      <AgGridReact<T>
        // The grid reads its texts only on creation, so another language creates a new grid.
        key={words.noRowsToShow}
        {...shared}
        localeText={words}
        columnDefs={columns}
        {...options}
        onCellKeyDown={(event) => {
          handleJumpKey(event);
          options.onCellKeyDown?.(event);
        }}
        onGridReady={(event) => {
          event.api.setGridAriaProperty('label', label);
          onReady?.(event.api);
          options.onGridReady?.(event);
        }}
      />
    </section>
  );
}

/**
 * A grid for long lists. Its cells and headers render without React, because React would cost every fourth frame. React cells and
 * headers aren't supported.
 */
export function PlainGrid<T>({ label, testId, columns, options, headerHeight, onReady }: GridProps<T>) {
  const { words, ...shared } = useSharedOptions<T>(headerHeight);
  const container = useRef<HTMLDivElement>(null);
  const created = useRef<{ api: GridApi<T>; options: GridOptions<T> } | null>(null);
  useEffect(() => (container.current ? watchHorizontalScroll(container.current) : undefined), []);
  const allOptions: GridOptions<T> = { ...shared, columnDefs: columns, ...options };
  const latest = useRef({ options: allOptions, label, onReady });
  useEffect(() => {
    latest.current = { options: allOptions, label, onReady };
  });
  useEffect(() => {
    if (!container.current) return undefined;
    const first = latest.current.options;
    const api = createGrid<T>(container.current, {
      ...first,
      ...wrapListeners(first, () => latest.current.options),
      localeText: words,
      onCellKeyDown: (event) => {
        handleJumpKey(event);
        latest.current.options.onCellKeyDown?.(event);
      },
    });
    created.current = { api, options: first };
    api.setGridAriaProperty('label', latest.current.label);
    latest.current.onReady?.(api);
    return () => {
      created.current = null;
      api.destroy();
    };
  }, [words]);
  useEffect(() => {
    if (!created.current) return;
    const { api, options: before } = created.current;
    created.current.options = allOptions;
    const changed = changedOptions(before, allOptions);
    if (Object.keys(changed).length > 0) api.updateGridOptions(changed as ManagedGridOptions<T>);
  });
  return <section ref={container} className={styles.grid} data-testid={testId} aria-label={label} />;
}

/** Returns the changed options. Listeners are excluded, because each event calls the current listener anyway. */
function changedOptions<T>(before: GridOptions<T>, now: GridOptions<T>): GridOptions<T> {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]) as Set<keyof GridOptions<T>>;
  return Object.fromEntries([...names].filter((name) => !isListener(name) && before[name] !== now[name]).map((name) => [name, now[name]]));
}

/** Wraps the listeners so that each event calls the current one. */
function wrapListeners<T>(first: GridOptions<T>, now: () => GridOptions<T>): GridOptions<T> {
  const callCurrent = (name: string) => (event: unknown) => (now() as Record<string, ((event: unknown) => void) | undefined>)[name]?.(event);
  return Object.fromEntries(Object.keys(first).filter(isListener).map((name) => [name, callCurrent(name)]));
}

function isListener(name: string): boolean {
  return /^on[A-Z]/u.test(name);
}

/** AG Grid's theme with the window's tokens, which set the color scheme. */
const gridTheme = themeQuartz.withParams({
  backgroundColor: 'var(--takt-ground)',
  foregroundColor: 'var(--takt-text)',
  textColor: 'var(--takt-text)',
  subtleTextColor: 'var(--takt-muted)',
  accentColor: 'var(--takt-accent)',
  borderColor: 'var(--takt-line)',
  chromeBackgroundColor: 'var(--takt-surface)',
  headerBackgroundColor: 'var(--takt-surface)',
  headerTextColor: 'var(--takt-muted)',
  headerCellHoverBackgroundColor: 'var(--takt-sunk)',
  headerFontWeight: 500,
  rowHoverColor: 'var(--takt-surface)',
  selectedRowBackgroundColor: 'var(--takt-accent-soft)',
  rangeSelectionBorderColor: 'var(--takt-focus)',
  oddRowBackgroundColor: 'var(--takt-ground)',
  modalOverlayBackgroundColor: 'var(--takt-ground)',
  checkboxUncheckedBackgroundColor: 'var(--takt-ground)',
  checkboxUncheckedBorderColor: 'var(--takt-line-strong)',
  checkboxCheckedShapeColor: 'var(--takt-on-accent)',
  fontFamily: 'var(--takt-font)',
  headerFontFamily: 'var(--takt-font)',
  cellFontFamily: 'var(--takt-font)',
  fontSize: 'var(--takt-size-grid)',
  headerFontSize: 'var(--takt-size-small)',
  dataFontSize: 'var(--takt-size-grid)',
  spacing: 6,
  cellHorizontalPadding: 10,
  iconSize: 14,
  borderRadius: 0,
  wrapperBorder: false,
  wrapperBorderRadius: 0,
  columnBorder: { style: 'solid', width: 1, color: 'var(--takt-line)' },
  headerColumnBorder: { style: 'solid', width: 1, color: 'var(--takt-line)' },
  browserColorScheme: 'inherit',
});

/** Returns the options that all grids share. */
function useSharedOptions<T>(headerHeight = 32): GridOptions<T> & { words: { [key: string]: string } } {
  const { t } = useTranslation();
  const { density } = usePreferences();
  const words = useMemo(
    () => ({
      noRowsToShow: t('grid.empty'),
      loadingOoo: t('grid.loading'),
      ariaRowSelectAll: t('grid.selectAll'),
      ariaRowSelect: t('grid.selectRow'),
      ariaRowDeselect: t('grid.deselectRow'),
      ariaSkeletonCellLoading: t('grid.loading'),
      ariaSkeletonCellLoadingFailed: t('grid.failed'),
      ariaSortableColumn: t('grid.sort'),
    }),
    [t],
  );
  const noRows = useMemo<NoRowsParams>(() => ({ text: t('grid.empty') }), [t]);
  return {
    words,
    noRowsOverlayComponent: NoRowsOverlay,
    noRowsOverlayComponentParams: noRows,
    theme: gridTheme,
    defaultColDef: DEFAULT_COLUMN,
    rowHeight: density === 'compact' ? 28 : 36,
    headerHeight,
    suppressDragLeaveHidesColumns: true,
    suppressColumnMoveAnimation: true,
    animateRows: false,
    tooltipShowDelay: 300,
    enableCellTextSelection: true,
    ensureDomOrder: true,
    suppressRowTransform: true,
    suppressRowHoverHighlight: true,
  };
}

/** Ctrl+Home and Ctrl+End go to the first and the last row, as in Excel. */
function handleJumpKey<T>(pressed: CellKeyDownEvent<T> | FullWidthCellKeyDownEvent<T>): void {
  const { api, event } = pressed;
  if (!(event instanceof KeyboardEvent) || !isJumpKey(event)) return;
  event.preventDefault();
  const row = event.key === 'Home' ? 0 : api.getDisplayedRowCount() - 1;
  api.ensureIndexVisible(row);
  if ('column' in pressed) api.setFocusedCell(row, pressed.column);
}

/** Whether a key jumps to the first or last row. The grid's own handling of these keys is suppressed. */
export function isJumpKey(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && (event.key === 'Home' || event.key === 'End');
}

const DEFAULT_COLUMN: ColDef = {
  suppressKeyboardEvent: ({ event }) => isJumpKey(event),
  // The contract defines the type of a cell. The grid must not infer it from values.
  cellDataType: false,
  resizable: true, sortable: false, suppressHeaderMenuButton: true,
  minWidth: 56,
};
