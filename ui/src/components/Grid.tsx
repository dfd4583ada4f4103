import {
  type CellKeyDownEvent,
  type ColDef,
  type FullWidthCellKeyDownEvent,
  type GridApi,
  type GridOptions,
  CellStyleModule,
  ClientSideRowModelModule,
  ColumnApiModule,
  EventApiModule,
  InfiniteRowModelModule,
  LocaleModule,
  ModuleRegistry,
  PinnedRowModule,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
  TextEditorModule,
  TooltipModule,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '../app/preferences';
import { gridTheme } from './gridTheme';
import styles from './grid.module.css';

ModuleRegistry.registerModules([
  CellStyleModule,
  ClientSideRowModelModule,
  ColumnApiModule,
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

type Props<T> = {
  label: string;
  testId: string;
  columns: ColDef<T>[];
  options: GridOptions<T>;
  headerHeight?: number;
  onReady?: (api: GridApi<T>) => void;
};

/** The one grid: the window's tokens, words and row height around AG Grid. */
export function Grid<T>({ label, testId, columns, options, headerHeight = 32, onReady }: Props<T>) {
  const { t } = useTranslation();
  const { density } = usePreferences();
  const words = useMemo(
    () => ({
      noRowsToShow: t('grid.empty'),
      loadingOoo: t('grid.loading'),
      ariaRowSelectAll: t('grid.selectAll'),
      ariaRowToggleSelection: t('grid.toggleRow'),
      ariaRowSelect: t('grid.selectRow'),
      ariaRowDeselect: t('grid.deselectRow'),
      ariaUnchecked: t('grid.unchecked'),
      ariaChecked: t('grid.checked'),
      ariaIndeterminate: t('grid.indeterminate'),
      ariaSkeletonCellLoading: t('grid.loading'),
      ariaSkeletonCellLoadingFailed: t('grid.failed'),
      ariaSortableColumn: t('grid.sort'),
    }),
    [t],
  );
  return (
    <section className={styles.grid} data-testid={testId} aria-label={label}>
      <AgGridReact<T>
        // The words are only read when a grid is made.
        key={words.noRowsToShow}
        theme={gridTheme}
        columnDefs={columns}
        defaultColDef={plain}
        rowHeight={density === 'compact' ? 28 : 36}
        headerHeight={headerHeight}
        localeText={words}
        suppressDragLeaveHidesColumns
        suppressColumnMoveAnimation
        animateRows={false}
        tooltipShowDelay={300}
        enableCellTextSelection
        ensureDomOrder
        {...options}
        onCellKeyDown={(event) => {
          jump(event);
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

/** Ctrl+Home and Ctrl+End go to the first and the last row, as in Excel. */
function jump<T>(pressed: CellKeyDownEvent<T> | FullWidthCellKeyDownEvent<T>): void {
  const { api, event } = pressed;
  if (!(event instanceof KeyboardEvent) || !jumps(event)) return;
  event.preventDefault();
  const row = event.key === 'Home' ? 0 : api.getDisplayedRowCount() - 1;
  api.ensureIndexVisible(row);
  if ('column' in pressed) api.setFocusedCell(row, pressed.column);
}

/** Keys that the grid itself has no say in. */
export function jumps(event: KeyboardEvent): boolean {
  return (event.ctrlKey || event.metaKey) && (event.key === 'Home' || event.key === 'End');
}

const plain: ColDef = {
  suppressKeyboardEvent: ({ event }) => jumps(event),
  // A cell's kind comes from the contract, never from a look at its values.
  cellDataType: false,
  resizable: true, sortable: false, suppressHeaderMenuButton: true,
  minWidth: 56,
};
