import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import type { GridApi } from 'ag-grid-community';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { TableRow } from '@/base/values/cells';
import { ChangeMenu } from '@/features/rows';
import type { Filter } from '@/ipc/bindings';

import { ColumnsMenu } from './ColumnsMenu';
import { ExportMenu } from './ExportMenu';
import { ViewsMenu } from './ViewsMenu';
import type { TableColumn } from './columns';
import type { Counts } from './tableSource';
import type { Selection } from './useSelection';
import type { Table } from './useTable';
import styles from './table.module.css';
import { toDraft } from './filterDraft';

/** Formats a filter: `Customer contains “abc”`. */
function useFilterWords(): (column: TableColumn, filter: Filter) => string {
  const { t } = useTranslation();
  const { serviceTime } = useFormats();
  return (column, filter) => {
    const draft = toDraft(column, filter);
    const how = t(`table.mode.${draft.mode}`);
    const end = (text: string) => (column.field?.kind === 'date-time' ? serviceTime(text) : text);
    switch (draft.mode) {
      case 'contains':
      case 'lacks':
      case 'equals':
        return `${column.label} ${how} “${draft.text}”`;
      case 'oneOf':
        return `${column.label}: ${draft.texts.join(', ')}`;
      case 'between':
        return `${column.label} ${[draft.from && `≥ ${end(draft.from)}`, draft.to && `≤ ${end(draft.to)}`].filter(Boolean).join(' ')}`;
      default:
        return `${column.label}: ${how}`;
    }
  };
}

type Props = {
  /** The list's name. */
  list: string;
  table: Table;
  columns: readonly TableColumn[];
  api: GridApi<TableRow> | null;
  set: number | null;
  counts: Counts | null;
  /** False if the rows are one page of several. */
  whole: boolean;
  selection: Selection;
  copy: () => void;
  print: () => void;
  open: (path: string, at: Element) => void;
};

/** The toolbar: search, filters, counts, views, columns and export. */
export function TableToolbar({ list, table, columns, api, set, counts, whole, selection, copy, print, open }: Props) {
  const { t } = useTranslation();
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={t('table.toolbar')}>
      <TextInput
        className={styles.find}
        size="xs"
        leftSection={<IconSearch size={14} aria-hidden />}
        rightSection={
          table.find && (
            <ActionIcon variant="subtle" color="petrol" size="xs" onClick={() => table.search('')} aria-label={t('table.findNothing')}>
              <IconX size={12} aria-hidden />
            </ActionIcon>
          )
        }
        placeholder={t('table.find')}
        aria-label={t('table.find')}
        value={table.find}
        onChange={(event) => table.search(event.currentTarget.value)}
        data-testid="table-find"
      />
      <FilterChips table={table} columns={columns} open={open} />
      <RowCount counts={counts} whole={whole} />
      {selection.positions.length > 0 && <TickedCount selection={selection} />}
      {selection.positions.length > 0 && set !== null && <ChangeMenu list={list} set={set} positions={selection.positions} size="xs" />}
      <span className={styles.menus}>
        <ViewsMenu table={table} />
        <ColumnsMenu table={table} columns={columns} api={api} />
        <ExportMenu set={set} table={table} columns={columns} positions={selection.positions} whole={whole} copy={copy} print={print} />
      </span>
    </div>
  );
}

function FilterChips({ table, columns, open }: Pick<Props, 'table' | 'columns' | 'open'>) {
  const { t } = useTranslation();
  const describeFilter = useFilterWords();
  return table.view.filters.map((filter) => {
    const column = columns.find(({ path }) => path === filter.path);
    if (!column) return null;
    const text = describeFilter(column, filter);
    return (
      <span key={filter.path} className={styles.chip} data-testid={`chip-${filter.path}`}>
        <button type="button" className={styles.chipText} onClick={(event) => open(filter.path, event.currentTarget)} title={text}>
          {text}
        </button>
        <ActionIcon variant="transparent" color="petrol" size="xs" onClick={() => table.filter(filter.path, null)} aria-label={t('table.removeOne', { filter: text })}>
          <IconX size={12} aria-hidden />
        </ActionIcon>
      </span>
    );
  });
}

function RowCount({ counts, whole }: { counts: Counts | null; whole: boolean }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  if (!counts) return <span className={styles.counted} />;
  const { shown, of } = counts;
  const key = shown === of ? (whole ? 'table.rows' : 'table.rowsOfPage') : whole ? 'table.someRows' : 'table.someOfPage';
  return (
    <span className={`${styles.counted} number`} role="status" data-testid="table-count">
      {t(key, { count: of, shown: number(shown), of: number(of) })}
    </span>
  );
}

function TickedCount({ selection }: { selection: Selection }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const count = selection.positions.length;
  return (
    <span className={styles.ticked}>
      <span className="number" role="status" data-testid="table-ticked">
        {t('table.ticked', { count, rows: number(count) })}
      </span>
      <Button size="compact-xs" variant="subtle" onClick={selection.all} data-testid="tick-all">
        {t('table.tickAll')}
      </Button>
      <Button size="compact-xs" variant="subtle" onClick={selection.none} data-testid="tick-none">
        {t('table.tickNone')}
      </Button>
    </span>
  );
}
