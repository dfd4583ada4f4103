import { Button, Divider, Popover } from '@mantine/core';
import { IconEyeOff, IconPin, IconPinnedOff, IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import type { GridApi } from 'ag-grid-community';
import { useTranslation } from 'react-i18next';

import type { TableRow } from '@/base/values/cells';
import { FilterForm } from './FilterForm';
import type { TableColumn } from './columns';
import type { Table } from './useTable';
import styles from './table.module.css';

export type Opened = { column: TableColumn; at: { left: number; top: number } };

type Props = { opened: Opened; close: () => void; table: Table; api: GridApi<TableRow> | null; set: number | null };

/** Actions for a column: sort, pin, hide, filter. */
export function ColumnPopover({ opened: { column, at }, close, table, api, set }: Props) {
  const { t } = useTranslation();
  const { path } = column;
  const pinned = api?.getColumn(path)?.isPinned() === true;
  const act = (work: () => void) => () => {
    work();
    close();
  };
  const sort = (way: 'asc' | 'desc') =>
    act(() => api?.applyColumnState({ state: [{ colId: path, sort: way, sortIndex: 0 }], defaultState: { sort: null } }));
  const small = { variant: 'subtle', size: 'compact-xs', color: 'petrol', justify: 'flex-start' } as const;
  return (
    <Popover opened onDismiss={close} position="bottom-start" trapFocus returnFocus shadow="md" width={260} withRoles={false}>
      <Popover.Target>
        <span className={styles.anchor} style={at} />
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={column.label} className={styles.popover} data-testid="column-menu">
        <p className={styles.popoverTitle}>{column.label}</p>
        <div className={styles.acts}>
          <Button {...small} leftSection={<IconSortAscending size={14} aria-hidden />} onClick={sort('asc')} data-testid="sort-up">
            {t('table.sortUp')}
          </Button>
          <Button {...small} leftSection={<IconSortDescending size={14} aria-hidden />} onClick={sort('desc')} data-testid="sort-down">
            {t('table.sortDown')}
          </Button>
          <Button
            {...small}
            leftSection={pinned ? <IconPinnedOff size={14} aria-hidden /> : <IconPin size={14} aria-hidden />}
            onClick={act(() => api?.setColumnsPinned([path], pinned ? null : 'left'))}
            data-testid="column-pin"
          >
            {t(pinned ? 'table.unpin' : 'table.pin')}
          </Button>
          <Button {...small} leftSection={<IconEyeOff size={14} aria-hidden />} onClick={act(() => api?.setColumnsVisible([path], false))} data-testid="column-hide">
            {t('table.hide')}
          </Button>
        </div>
        <Divider my={8} />
        <FilterForm
          column={column}
          filter={table.view.filters.find((one) => one.path === path)}
          set={set}
          done={(test) => act(() => table.filter(path, test && { path, test }))()}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
