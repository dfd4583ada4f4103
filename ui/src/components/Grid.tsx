import {
  type ColDef,
  type GridApi,
  type GridOptions,
  CellStyleModule,
  ClientSideRowModelModule,
  ColumnApiModule,
  EventApiModule,
  InfiniteRowModelModule,
  LocaleModule,
  ModuleRegistry,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
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
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
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
        onGridReady={(event) => {
          event.api.setGridAriaProperty('label', label);
          onReady?.(event.api);
          options.onGridReady?.(event);
        }}
      />
    </section>
  );
}

const plain: ColDef = {
  // A cell's kind comes from the contract, never from a look at its values.
  cellDataType: false,
  resizable: true, sortable: false, suppressHeaderMenuButton: true,
  minWidth: 56,
};
