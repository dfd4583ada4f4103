import type { ColDef, IDatasource } from 'ag-grid-community';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { useOrderLists } from '@/base/links/useOrderLists';
import { type ValueLink, linksOfNames } from '@/base/links/valueLinks';
import { type Place, useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { PlainGrid } from '@/components/grid/Grid';
import { LinkCell } from '@/components/grid/LinkCell';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type GraphqlRows, type Value, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from '../common/graphql.module.css';

const BLOCK_SIZE = 500;

type Row = { at: number; cells: Value[] };

/** A list of the response as a table. Rows are loaded as they scroll into view. */
export function AnswerTable({ id, path }: { id: number; path: string }) {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    queryKey: queryKeys.graphqlRows(id, path),
    queryFn: () => commands.graphqlRows(id, path, 0, BLOCK_SIZE),
    gcTime: 0,
  });
  const columns = useColumns(data ?? NO_ROWS);
  const options = useMemo(
    () => ({ rowModelType: 'infinite' as const, cacheBlockSize: BLOCK_SIZE, datasource: rowSource(id, path), getRowId: rowId }),
    [id, path],
  );
  if (error) return <ProblemNote problem={toProblem(error)} />;
  if (!data) return <div className={styles.waiting} aria-busy="true" />;
  return <PlainGrid<Row> label={t('graphql.table')} testId="grid-graphql" columns={columns} options={options} />;
}

function useColumns({ columns, rows }: GraphqlRows): ColDef<Row>[] {
  const { t } = useTranslation();
  const { decimal } = useFormats();
  const { go } = useNavigation();
  const leads = useColumnLeads(columns);
  return useMemo(() => {
    const shown = (value: Value | undefined) => {
      if (typeof value === 'number') return decimal(value);
      if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
      return typeof value === 'string' ? value : '';
    };
    // Keys aren't amounts, so numbers are shown unformatted, also in links.
    const asKey = (value: Value | undefined) => (typeof value === 'number' ? String(value) : shown(value));
    return columns.map(({ heading, numeric }, at) => ({
      ...linkColumn(leads.get(heading), go),
      colId: heading,
      headerName: heading,
      headerClass: numeric ? styles.numericHead : undefined,
      cellClass: numeric ? styles.numeric : undefined,
      valueGetter: ({ data }) => (leads.has(heading) ? asKey : shown)(data?.cells[at]),
      tooltipValueGetter: ({ value }: { value?: string | null }) => (value && value.length > 24 ? value : undefined),
      width: columnWidth(heading, rows.slice(0, 50).map((cells) => shown(cells[at]))),
    }));
  }, [columns, rows, decimal, leads, go, t]);
}

/** Returns links for columns whose names identify an item, as in list tables. */
function useColumnLeads(columns: GraphqlRows['columns']): Map<string, ValueLink> {
  const operations = useOperations();
  const orders = useOrderLists();
  return useMemo(() => linksOfNames(columns.map(({ heading }) => heading), operations, orders), [columns, operations, orders]);
}

function linkColumn(lead: ValueLink | undefined, go: (place: Place) => void): Partial<ColDef<Row>> {
  if (!lead) return {};
  return { cellRenderer: LinkCell, cellRendererParams: { follow: (value: string) => go(lead(value)) } };
}

function rowSource(id: number, path: string): IDatasource {
  return {
    getRows: ({ startRow, successCallback, failCallback }) => {
      commands.graphqlRows(id, path, startRow, BLOCK_SIZE).then(({ rows, total }) => {
        const tableRows: Row[] = rows.map((cells, at) => ({ at: startRow + at, cells }));
        successCallback(tableRows, total);
      }, failCallback);
    },
  };
}

const rowId = ({ data }: { data: Row }) => String(data.at);
const NO_ROWS: GraphqlRows = { columns: [], rows: [], total: 0 };

/** Returns a column width that fits the header and first cells, within limits. */
function columnWidth(heading: string, cells: string[]): number {
  const longest = Math.max(heading.length, ...cells.map((cell) => cell.length));
  return Math.min(280, Math.max(80, longest * 8 + 32));
}
