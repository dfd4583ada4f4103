import { ActionIcon, Button, Checkbox, Menu, Popover, SegmentedControl, TextInput } from '@mantine/core';
import { IconBookmark, IconCheck, IconColumns3, IconDownload, IconPencil, IconSearch, IconTrash, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { GridApi } from 'ag-grid-community';
import { type SyntheticEvent, memo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { type TableRow, isTimeSpan } from '@/base/values/cells';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { ChangeMenu } from '@/features/rows';
import { type ExportFormat, type ExportRequest, type Filter, type SpanForm, commands } from '@/ipc/bindings';

import type { TableColumn } from './columns';
import { visibleColumns } from './tableLayout';
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
    const comparison = t(`table.mode.${draft.mode}`);
    const end = (text: string) => (column.field?.kind === 'date-time' ? serviceTime(text) : text);
    switch (draft.mode) {
      case 'contains':
      case 'lacks':
      case 'equals':
        return `${column.label} ${comparison} “${draft.text}”`;
      case 'oneOf':
        return `${column.label}: ${draft.texts.join(', ')}`;
      case 'between':
        return `${column.label} ${[draft.from && `≥ ${end(draft.from)}`, draft.to && `≤ ${end(draft.to)}`].filter(Boolean).join(' ')}`;
      default:
        return `${column.label}: ${comparison}`;
    }
  };
}

type ColumnsMenuProps = { table: Table; columns: readonly TableColumn[]; api: GridApi<TableRow> | null };

/** Selects the visible columns and the format of time spans. */
const ColumnsMenu = memo(function ColumnsMenu({ table, columns, api }: ColumnsMenuProps) {
  const { t } = useTranslation();
  const { view } = table;
  const hidden = new Set(view.columns.filter((look) => look.hidden).map(({ path }) => path));
  const inOrder = [...columns].toSorted((a, b) => columnPosition(view.columns, a.path) - columnPosition(view.columns, b.path));
  return (
    <Popover position="bottom-end" trapFocus returnFocus shadow="md" width={300}>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<IconColumns3 size={14} aria-hidden />} data-testid="columns">
          {hidden.size === 0 ? t('table.columns') : t('table.columnsSome', { shown: columns.length - hidden.size, of: columns.length })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.popover} aria-label={t('table.columns')} data-testid="columns-list">
        <div className={styles.popoverHead}>
          <Button size="compact-xs" variant="subtle" onClick={() => api?.setColumnsVisible(columns.map(({ path }) => path), true)} data-testid="columns-all">
            {t('table.showAll')}
          </Button>
          <Button size="compact-xs" variant="subtle" onClick={() => table.choose(null)} data-testid="columns-reset">
            {t('table.reset')}
          </Button>
        </div>
        <div className={styles.values} role="group" aria-label={t('table.columns')}>
          {inOrder.map(({ path, label }) => (
            <Checkbox
              key={path}
              size="xs"
              label={label}
              checked={!hidden.has(path)}
              onChange={(event) => api?.setColumnsVisible([path], event.currentTarget.checked)}
              data-testid={`show-${path}`}
            />
          ))}
        </div>
        {columns.some(({ field }) => isTimeSpan(field)) && (
          <div className={styles.spans}>
            <span className="muted small">{t('table.spans')}</span>
            <SegmentedControl
              fullWidth
              size="xs"
              aria-label={t('table.spans')}
              value={view.spans}
              onChange={(spans) => table.change({ spans: spans as SpanForm })}
              data={(['words', 'clock', 'ticks'] as const).map((value) => ({ value, label: t(`table.span.${value}`) }))}
              data-testid="spans"
            />
          </div>
        )}
      </Popover.Dropdown>
    </Popover>
  );
});

function columnPosition(looks: Table['view']['columns'], path: string): number {
  const index = looks.findIndex((look) => look.path === path);
  return index < 0 ? looks.length : index;
}

type ExportMenuProps = {
  set: number | null;
  table: Table;
  columns: readonly TableColumn[];
  positions: number[];
  isComplete: boolean;
  copy: () => void;
  print: () => void;
};

type ExportChoice = { name: 'xlsx' | 'csv' | 'csvRegional' | 'json'; format: ExportFormat; decimalComma: boolean };

/** The offered files, in order. Programs expect commas, but Excel expects semicolons where the comma is the decimal sign. */
const EXPORT_CHOICES: readonly ExportChoice[] = [
  { name: 'xlsx', format: 'xlsx', decimalComma: false },
  { name: 'csv', format: 'csv', decimalComma: false },
  { name: 'csvRegional', format: 'csv', decimalComma: true },
  { name: 'json', format: 'json', decimalComma: false },
];
const UNCHANGED_ARRANGEMENT: ExportRequest['arrangement'] = { sort: [], filters: [], find: '' };

/** Copies, prints or exports the ticked rows, the visible rows, or all rows. */
function ExportMenu({ set, table, columns, positions, isComplete, copy, print }: ExportMenuProps) {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: async (request: ExportRequest) => (set === null ? null : commands.browseExport(set, request, t('browse.saveTitle'))),
    onSuccess: (path) => showSavedNotice(path),
    onError: showProblemNotice,
  });
  const exportShown = ({ format, decimalComma }: ExportChoice) => {
    const exportedColumns = visibleColumns(columns, table.view.columns);
    const headings = exportedColumns.map(({ label }) => label);
    save.mutate({ format, decimalComma, columns: exportedColumns.map(({ path }) => path), headings, arrangement: table.arrangement, positions });
  };
  const exportAll = ({ format, decimalComma }: ExportChoice) => save.mutate({ format, decimalComma, columns: [], headings: [], arrangement: UNCHANGED_ARRANGEMENT, positions: [] });
  const ticked = positions.length > 0;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<IconDownload size={14} aria-hidden />} disabled={set === null || save.isPending} data-testid="browse-export">
          {t('table.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={copy} rightSection={ticked && <kbd>{t('table.copyKey')}</kbd>} data-testid="table-copy">
          {t(ticked ? 'table.copyTicked' : 'table.copyShown')}
        </Menu.Item>
        <Menu.Item onClick={print} data-testid="table-print">
          {t(ticked ? 'table.printTicked' : 'table.printShown')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t(ticked ? 'table.exportTicked' : 'table.exportShown')}</Menu.Label>
        {EXPORT_CHOICES.map((choice) => (
          <Menu.Item key={choice.name} onClick={() => exportShown(choice)} data-testid={`export-${choice.name}`}>
            {t(`table.as.${choice.name}`)}
          </Menu.Item>
        ))}
        <Menu.Label>{t(isComplete ? 'table.exportAll' : 'table.exportPage')}</Menu.Label>
        {EXPORT_CHOICES.map((choice) => (
          <Menu.Item key={choice.name} onClick={() => exportAll(choice)} data-testid={`export-all-${choice.name}`}>
            {t(`table.as.${choice.name}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Menu for named views: choose, save, rename, delete. */
const ViewsMenu = memo(function ViewsMenu({ table }: { table: Table }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const [renamed, setRenamed] = useState<string | null>(null);
  const [name, setName] = useState('');
  // Saving without a typed name overwrites the chosen view.
  const typed = name.trim() || (renamed === null ? (table.chosen ?? '') : '');
  const choose = (view: string | null) => {
    table.choose(view);
    setOpened(false);
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!typed) return;
    if (renamed === null) table.saveAs(typed);
    else table.rename(renamed, typed);
    setRenamed(null);
    setName('');
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus returnFocus shadow="md" width={300}>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<IconBookmark size={14} aria-hidden />} onClick={() => setOpened((now) => !now)} data-testid="views">
          {table.chosen ?? t('table.views')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.popover} aria-label={t('table.views')} data-testid="views-list">
        <ul className={styles.views}>
          <ViewLine label={t('table.asDelivered')} chosen={table.chosen === null} choose={() => choose(null)} testId="view-delivered" />
          {table.named.map((view) => (
            <ViewLine key={view.name} label={view.name} chosen={table.chosen === view.name} choose={() => choose(view.name)} testId={`view-${view.name}`}>
              <ActionIcon
                variant="subtle"
                color="petrol"
                size="sm"
                aria-label={t('table.renameView', { name: view.name })}
                onClick={() => {
                  setRenamed(view.name);
                  setName(view.name);
                }}
              >
                <IconPencil size={14} aria-hidden />
              </ActionIcon>
              <ActionIcon variant="subtle" color="petrol" size="sm" aria-label={t('table.deleteView', { name: view.name })} onClick={() => table.remove(view.name)}>
                <IconTrash size={14} aria-hidden />
              </ActionIcon>
            </ViewLine>
          ))}
        </ul>
        <form className={styles.saveView} onSubmit={submit}>
          <TextInput
            size="xs"
            aria-label={t('table.viewName')}
            placeholder={table.chosen ?? t('table.viewName')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-testid="view-name"
          />
          <Button type="submit" size="xs" variant="default" disabled={!typed} data-testid="view-save">
            {t(renamed === null ? 'common.save' : 'table.rename')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
});

type LineProps = { label: string; chosen: boolean; choose: () => void; testId: string; children?: React.ReactNode };

function ViewLine({ label: text, chosen, choose, testId, children }: LineProps) {
  return (
    <li>
      <button type="button" className={styles.viewName} onClick={choose} aria-current={chosen ? 'true' : undefined} data-testid={testId}>
        {chosen ? <IconCheck size={14} aria-hidden /> : <span className={styles.noCheck} />}
        {text}
      </button>
      {children}
    </li>
  );
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
  isComplete: boolean;
  selection: Selection;
  copy: () => void;
  print: () => void;
  open: (path: string, at: Element) => void;
};

/** The toolbar: search, filters, counts, views, columns and export. */
export function TableToolbar({ list, table, columns, api, set, counts, isComplete, selection, copy, print, open }: Props) {
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
      <RowCount counts={counts} isComplete={isComplete} />
      {selection.positions.length > 0 && <TickedCount selection={selection} />}
      {selection.positions.length > 0 && set !== null && <ChangeMenu list={list} set={set} positions={selection.positions} size="xs" />}
      <span className={styles.menus}>
        <ViewsMenu table={table} />
        <ColumnsMenu table={table} columns={columns} api={api} />
        <ExportMenu set={set} table={table} columns={columns} positions={selection.positions} isComplete={isComplete} copy={copy} print={print} />
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

function RowCount({ counts, isComplete }: { counts: Counts | null; isComplete: boolean }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  if (!counts) return <span className={styles.counted} />;
  const { shown, of } = counts;
  const key = shown === of ? (isComplete ? 'table.rows' : 'table.rowsOfPage') : isComplete ? 'table.someRows' : 'table.someOfPage';
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
      <Button size="compact-xs" variant="subtle" onClick={selection.selectAll} data-testid="tick-all">
        {t('table.tickAll')}
      </Button>
      <Button size="compact-xs" variant="subtle" onClick={selection.selectNone} data-testid="tick-none">
        {t('table.tickNone')}
      </Button>
    </span>
  );
}
