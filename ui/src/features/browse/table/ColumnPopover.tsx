import { Button, Checkbox, Divider, Popover, Select, TextInput } from '@mantine/core';
import { IconEyeOff, IconPin, IconPinnedOff, IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { GridApi } from 'ag-grid-community';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import type { TableRow } from '@/base/values/cells';
import { type Filter, type Test, commands } from '@/ipc/bindings';
import type { TableColumn } from './columns';
import { type FilterDraft, type FilterMode, filterKindOf, modesOf, toDraft, toTest } from './filterDraft';
import type { Table } from './useTable';
import styles from './table.module.css';

export type OpenColumn = { column: TableColumn; at: { left: number; top: number } };

type FilterFormProps = { column: TableColumn; filter: Filter | undefined; set: number | null; applyTest: (test: Test | null) => void };

/** Filter form for a column, depending on the column's kind. */
function FilterForm({ column, filter, set, applyTest }: FilterFormProps) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(() => toDraft(column, filter));
  const [isInvalid, setInvalid] = useState(false);
  const change = (some: Partial<FilterDraft>) => {
    setInvalid(false);
    setDraft((now) => ({ ...now, ...some }));
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const test = toTest(column, draft);
    if (test === false) setInvalid(true);
    else applyTest(test);
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <Select
        aria-label={t('table.filterHow')}
        data={modesOf(column).map((mode) => ({ value: mode, label: t(`table.mode.${mode}`) }))}
        value={draft.mode}
        onChange={(mode) => mode && change({ mode: mode as FilterMode })}
        allowDeselect={false}
        comboboxProps={{ withinPortal: false }}
        data-testid="filter-mode"
      />
      <FilterInputs column={column} draft={draft} change={change} set={set} error={isInvalid ? t('table.unread') : undefined} />
      <div className={styles.formButtons}>
        <Button type="submit" size="xs" data-testid="filter-apply">
          {t('table.apply')}
        </Button>
        {filter && (
          <Button variant="default" size="xs" onClick={() => applyTest(null)} data-testid="filter-remove">
            {t('table.removeFilter')}
          </Button>
        )}
      </div>
    </form>
  );
}

type InputsProps = { column: TableColumn; draft: FilterDraft; change: (some: Partial<FilterDraft>) => void; set: number | null; error: string | undefined };

function FilterInputs({ column, draft, change, set, error }: InputsProps) {
  const { t } = useTranslation();
  if (draft.mode === 'oneOf') return <FrequentValues path={column.path} set={set} chosen={draft.texts} choose={(texts) => change({ texts })} />;
  if (draft.mode === 'between') {
    const kind = filterKindOf(column.field);
    const shape = { type: kind === 'time' ? 'date' : 'text', placeholder: kind === 'span' ? 'hh:mm' : undefined };
    return (
      <div className={styles.ends}>
        <TextInput {...shape} label={t('table.from')} value={draft.from} onChange={(event) => change({ from: event.currentTarget.value })} error={error} data-autofocus data-testid="filter-from" />
        <TextInput {...shape} label={t('table.to')} value={draft.to} onChange={(event) => change({ to: event.currentTarget.value })} data-testid="filter-to" />
      </div>
    );
  }
  if (draft.mode !== 'contains' && draft.mode !== 'lacks' && draft.mode !== 'equals') return null;
  return (
    <TextInput
      aria-label={t('table.filterText')}
      value={draft.text}
      onChange={(event) => change({ text: event.currentTarget.value })}
      data-autofocus
      data-testid="filter-text"
    />
  );
}

type ValuesProps = { path: string; set: number | null; chosen: string[]; choose: (texts: string[]) => void };

/** The column's most frequent values with checkboxes. */
function FrequentValues({ path, set, chosen, choose }: ValuesProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { data } = useQuery({
    queryKey: queryKeys.columnValues(set, path),
    queryFn: () => (set === null ? [] : commands.browseValues(set, path)),
    gcTime: 0,
  });
  const values = data ?? [];
  return (
    <div className={styles.values} role="group" aria-label={t('table.values')}>
      {values.length === 0 && <p className="muted small">{t('common.nothing')}</p>}
      {values.map(({ text, rows }) => (
        <Checkbox
          key={text}
          size="xs"
          label={
            <>
              {text} <span className="muted number">{number(rows)}</span>
            </>
          }
          checked={chosen.includes(text)}
          onChange={(event) => choose(event.currentTarget.checked ? [...chosen, text] : chosen.filter((one) => one !== text))}
        />
      ))}
    </div>
  );
}

type Props = { opened: OpenColumn; close: () => void; table: Table; api: GridApi<TableRow> | null; set: number | null };

/** Actions for a column: sort, pin, hide, filter. */
export function ColumnPopover({ opened: { column, at }, close, table, api, set }: Props) {
  const { t } = useTranslation();
  const { path } = column;
  const pinned = api?.getColumn(path)?.isPinned() === true;
  const closeAfter = (work: () => void) => () => {
    work();
    close();
  };
  const sort = (way: 'asc' | 'desc') =>
    closeAfter(() => api?.applyColumnState({ state: [{ colId: path, sort: way, sortIndex: 0 }], defaultState: { sort: null } }));
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
            onClick={closeAfter(() => api?.setColumnsPinned([path], pinned ? null : 'left'))}
            data-testid="column-pin"
          >
            {t(pinned ? 'table.unpin' : 'table.pin')}
          </Button>
          <Button {...small} leftSection={<IconEyeOff size={14} aria-hidden />} onClick={closeAfter(() => api?.setColumnsVisible([path], false))} data-testid="column-hide">
            {t('table.hide')}
          </Button>
        </div>
        <Divider my={8} />
        <FilterForm
          column={column}
          filter={table.view.filters.find((one) => one.path === path)}
          set={set}
          applyTest={(test) => closeAfter(() => table.filter(path, test && { path, test }))()}
        />
      </Popover.Dropdown>
    </Popover>
  );
}
