import type { GridOptions, IDatasource } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import { Grid } from '../../components/Grid';
import { type Operation, commands } from '../../ipc/bindings';
import { type Row, toRows } from './cells';
import { answerColumns } from './columns';
import { useCellWords } from './useCellWords';
import type { WholeSet } from './useReadAll';

type Props = {
  operation: Operation;
  rows: Row[];
  unknown: string[];
  set: WholeSet | null;
  busy: boolean;
  onRow: (row: Row | null) => void;
  /** Positions in the set. */
  onSelected: (positions: number[]) => void;
};

/** An answer's rows, generic from the contract's fields: one page, or everything that was read. */
export function RowTable({ operation, rows, unknown, set, busy, onRow, onSelected }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const words = useCellWords();
  const columns = useMemo(
    () =>
      answerColumns({
        operation,
        unknown,
        words,
        name,
        hint: ({ provenance }) => {
          if (provenance.level === 'specified') return undefined;
          return provenance.level === 'site' ? t('provenance.site') : t('provenance.assumedBecause', { source: provenance.source });
        },
        unknownHint: t('browse.unknownField'),
        sortable: set === null,
      }),
    [operation, unknown, words, name, t, set],
  );
  const shared = useMemo<GridOptions<Row>>(
    () => ({
      onCellFocused: ({ rowIndex, api }) => {
        onRow(rowIndex === null ? null : (api.getDisplayedRowAtIndex(rowIndex)?.data ?? null));
      },
      rowSelection: { mode: 'multiRow', enableClickSelection: false, checkboxes: true, headerCheckbox: set === null },
      onSelectionChanged: ({ api }) => {
        const places = api.getSelectedRows().map((row) => positions.get(row) ?? rows.indexOf(row));
        onSelected(places.filter((place) => place >= 0).toSorted((a, b) => a - b));
      },
    }),
    [onRow, onSelected, rows, set],
  );
  const whole = useMemo<GridOptions<Row>>(
    () => ({ ...shared, rowModelType: 'infinite', cacheBlockSize: 200, maxBlocksInCache: 20, datasource: source(set) }),
    [shared, set],
  );
  const label = t('browse.grid', { operation: name(operation) });
  if (set) return <Grid key={set.id} label={label} testId="grid-browse" columns={columns} options={whole} />;
  return (
    <Grid
      key="page"
      label={label}
      testId="grid-browse"
      columns={columns}
      options={{ ...shared, rowData: rows, loading: busy && rows.length === 0 }}
    />
  );
}

/** Where rows that came one block at a time stand in their set. */
const positions = new WeakMap<Row, number>();

const asGiven = { sort: [], filters: [], find: '' };

function source(set: WholeSet | null): IDatasource {
  return {
    getRows: ({ startRow, endRow, successCallback, failCallback }) => {
      if (!set) return failCallback();
      commands
        .browseRows(set.id, asGiven, startRow, endRow - startRow)
        .then((page) => {
          const rows = toRows(page.rows);
          rows.forEach((row, at) => positions.set(row, page.positions[at] ?? startRow + at));
          successCallback(rows, page.shown);
        })
        .catch(() => failCallback());
    },
  };
}
