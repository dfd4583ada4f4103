import type { CellClassParams, CellClickedEvent, CellKeyDownEvent, ColDef, GridApi, GridOptions } from 'ag-grid-community';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { PlainGrid } from '@/components/grid/Grid';
import type { ProcessSum, TemplatesView } from '@/ipc/bindings';
import type { Marks } from './linkMarks';
import { type LinkRow, type MatrixRow, buildMatrix } from './links';
import styles from '../common/templates.module.css';

export type CellContent = 'marks' | 'labor' | 'machine';
type Props = { view: TemplatesView; rows: LinkRow[]; shown: CellContent; marks: Marks };
type MatrixLine = MatrixRow & { total?: boolean };

/** A matrix of templates and processes. A click on a cell ticks or unticks its links. */
export function LinkMatrix({ view, rows, shown, marks }: Props) {
  const { t } = useTranslation();
  const { duration, decimal, number } = useFormats();
  const api = useRef<GridApi<MatrixLine> | null>(null);
  useEffect(() => {
    api.current?.setGridOption('context', marks);
    api.current?.refreshCells({ force: true });
  }, [marks]);
  const { lines, columns: processes } = useMemo(() => buildMatrix(view, rows), [view, rows]);
  const columns = useMemo<ColDef<MatrixLine>[]>(() => {
    const sum = (headerName: string, value: (line: MatrixRow) => number | null, width: number, format: (value: number) => string): ColDef<MatrixLine> => ({
      headerName,
      width,
      pinned: 'left',
      sortable: true,
      type: 'rightAligned',
      headerClass: styles.foot ?? '',
      valueGetter: ({ data }) => (data && !data.total ? value(data) : null),
      valueFormatter: ({ value: found }: { value: number | null | undefined }) => (typeof found === 'number' ? format(found) : ''),
    });
    const used = view.templates.some(({ orders }) => orders !== null);
    return [
      {
        headerName: t('templates.template'),
        valueGetter: ({ data }) => (data?.total ? t('templates.inTemplates') : data?.template.id),
        width: 112,
        pinned: 'left',
        sortable: true,
        headerClass: styles.foot ?? '',
      },
      sum(t('templates.count'), ({ template }) => template.processes, 56, number),
      sum(t('templates.labor'), ({ template }) => template.laborSeconds, 98, duration),
      sum(t('templates.machine'), ({ template }) => template.machineSeconds, 104, duration),
      ...(used ? [sum(t('templates.orders'), ({ template }) => template.orders, 68, number)] : []),
      ...processes.map((process) => processColumn(process, shown, decimal, t('templates.processTip', { ...process, count: process.templates }))),
    ];
  }, [t, duration, decimal, number, processes, shown, view.templates]);
  const totals = useMemo<MatrixLine[]>(() => {
    const [first] = lines;
    return first ? [{ ...first, linksByProcess: new Map(), total: true }] : [];
  }, [lines]);
  const options = useMemo<GridOptions<MatrixLine>>(
    () => ({
      getRowId: ({ data }) => (data.total ? 'total' : String(data.template.id)),
      onCellClicked: (clicked) => toggleCellLink(clicked),
      onCellKeyDown: (pressed) => {
        if (!('column' in pressed) || !(pressed.event instanceof KeyboardEvent) || pressed.event.key !== ' ') return;
        pressed.event.preventDefault();
        toggleCellLink(pressed);
      },
      ensureDomOrder: false,
    }),
    [],
  );
  return (
    <PlainGrid<MatrixLine>
      label={t('templates.matrixLabel')}
      testId="grid-matrix"
      columns={columns}
      headerHeight={88}
      options={{ ...options, rowData: lines, pinnedTopRowData: totals, context: marks }}
      onReady={(ready) => {
        api.current = ready;
      }}
    />
  );
}

function toggleCellLink({ data, column, context }: CellClickedEvent<MatrixLine, unknown, Marks> | CellKeyDownEvent<MatrixLine, unknown, Marks>): void {
  const [row] = data?.linksByProcess.get(column.getColId()) ?? [];
  if (row) context.toggle(row);
}

function processColumn(process: ProcessSum, shown: CellContent, decimal: (value: number) => string, tip: string): ColDef<MatrixLine> {
  return {
    colId: process.code,
    headerName: process.code,
    headerTooltip: tip,
    headerClass: styles.upright ?? '',
    width: shown === 'marks' ? 36 : 60,
    minWidth: 28,
    resizable: false,
    sortable: false,
    // The grid calls this only for visible cells.
    valueGetter: ({ data }) => {
      if (data?.total) return process.templates;
      const links = data?.linksByProcess.get(process.code);
      return links ? cellText(links, shown, decimal) : '';
    },
    cellClass: (of) => cellClass(of, process.code),
  };
}

/** Formats a cell: minutes or a mark. If the process occurs several times, its number is shown. */
function cellText(links: readonly LinkRow[], shown: CellContent, decimal: (value: number) => string): string {
  const [row] = links;
  if (!row) return '';
  if (links.length > 1) return `×${links.length}`;
  if (shown === 'marks') return row.labor === null && row.machine === null ? '○' : '●';
  const seconds = row[shown];
  return seconds === null ? '–' : decimal(Math.round(seconds / 6) / 10);
}

function cellClass({ data, context }: CellClassParams<MatrixLine> & { context: Marks }, code: string): string[] {
  const [row] = data?.linksByProcess.get(code) ?? [];
  const classes = [styles.cell ?? ''];
  if (!row) return classes;
  classes.push(styles.held ?? '');
  if (context.ticked.has(row.key)) classes.push(styles.ticked ?? '');
  if (context.collected.has(row.key)) classes.push(styles.collected ?? '');
  return classes;
}
