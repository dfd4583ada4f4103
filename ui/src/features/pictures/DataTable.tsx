import type { ColDef } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { PlainGrid } from '@/components/grid/Grid';
import type { Operation, Picture, PictureView } from '@/ipc/bindings';
import { type Cells, tableOf } from './dataRows';
import type { TextFormats } from './itemText';

type Props = { operation: Operation; picture: Picture; view: PictureView; label: string; say: TextFormats; open: (rows: readonly number[], label: string) => void };

/** A picture's exact values as a table, also for screen readers. */
export function DataTable({ operation, picture, view, label, say, open }: Props) {
  const { t } = useTranslation();
  const { columns, rows } = useMemo(() => tableOf(operation, picture, view, say), [operation, picture, view, say]);
  const made = useMemo<ColDef<Cells>[]>(
    () =>
      columns.map((headerName, at) => ({
        headerName,
        colId: String(at),
        valueGetter: ({ data }) => data?.texts[at] ?? '',
        sortable: true,
        comparator: (_, __, a, b) => compare(a.data?.values[at], b.data?.values[at]),
        width: at === 0 ? 220 : 150,
      })),
    [columns],
  );
  const options = useMemo(
    () => ({
      rowData: rows,
      onRowClicked: ({ data }: { data: Cells | undefined }) => data && open(data.rows, data.texts[0] ?? ''),
    }),
    [rows, open],
  );
  return <PlainGrid key={view.drawn.shape} label={t('picture.tableOf', { picture: label })} testId="picture-table" columns={made} options={options} />;
}

function compare(a: string | number | undefined, b: string | number | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a ?? '').localeCompare(String(b ?? ''), undefined, { numeric: true });
}
