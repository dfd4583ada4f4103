import { Checkbox, VisuallyHidden } from '@mantine/core';
import type { CellKeyDownEvent, ColDef, GridApi, GridOptions, ICellRendererParams } from 'ag-grid-community';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { Grid } from '@/components/grid/Grid';
import type { Marks } from './linkMarks';
import type { LinkRow } from './links';
import styles from '../common/templates.module.css';

type Props = { rows: LinkRow[]; loading: boolean; marks: Marks };

/** The processes of the templates, with a checkbox per link. */
export function LinkGrid({ rows, loading, marks }: Props) {
  const { t } = useTranslation();
  const { duration } = useFormats();
  const api = useRef<GridApi<LinkRow> | null>(null);
  useEffect(() => {
    api.current?.setGridOption('context', marks);
    api.current?.refreshCells({ force: true });
  }, [marks]);
  const columns = useMemo<ColDef<LinkRow>[]>(() => {
    const time = (field: 'labor' | 'machine', headerName: string): ColDef<LinkRow> => ({
      field,
      headerName,
      width: 114,
      sortable: true,
      type: 'rightAligned',
      valueFormatter: ({ value }: { value: number | null | undefined }) => (typeof value === 'number' ? duration(value) : t('templates.noTime')),
      // A custom class replaces the class of the column type, so that class is included.
      cellClass: ({ value }) => (typeof value === 'number' ? 'ag-right-aligned-cell' : 'ag-right-aligned-cell muted'),
    });
    return [
      { ...TICK_COLUMN, headerName: t('table.tickColumn') },
      { colId: 'template', headerName: t('templates.template'), valueGetter: ({ data }) => data?.template.id, width: 92, sortable: true },
      { colId: 'process', headerName: t('templates.process'), valueGetter: ({ data }) => data?.process.code, width: 110, sortable: true, cellClass: 'mono' },
      {
        colId: 'description',
        headerName: t('templates.description'),
        valueGetter: ({ data }) => data?.process.description,
        flex: 1,
        minWidth: 130,
        sortable: true,
      },
      time('labor', t('templates.labor')),
      time('machine', t('templates.machine')),
      {
        field: 'quality',
        headerName: t('templates.quality'),
        width: 108,
        sortable: true,
        valueFormatter: ({ value }) => (value === true ? t('common.yes') : t('common.no')),
        cellClass: ({ value }) => (value === true ? undefined : 'muted'),
      },
    ];
  }, [t, duration]);
  const options = useMemo<GridOptions<LinkRow>>(
    () => ({
      getRowId: ({ data }) => String(data.at),
      onCellKeyDown: (pressed) => {
        if ('column' in pressed) tickBySpace(pressed);
      },
    }),
    [],
  );
  return (
    <Grid
      label={t('templates.grid')}
      testId="grid-processes"
      columns={columns}
      options={{ ...options, rowData: rows, loading, context: marks }}
      onReady={(ready) => {
        api.current = ready;
      }}
    />
  );
}

/** A column header for screen readers only. */
function HiddenHeader({ displayName }: { displayName: string }) {
  return <VisuallyHidden>{displayName}</VisuallyHidden>;
}

const TICK_COLUMN: ColDef<LinkRow> = {
  colId: 'tick',
  width: 44,
  pinned: 'left',
  resizable: false,
  headerComponentParams: { innerHeaderComponent: HiddenHeader },
  cellRenderer: TickCell,
  cellClass: styles.tick,
};

function tickBySpace({ event, data, context }: CellKeyDownEvent<LinkRow, unknown, Marks>): void {
  if (!(event instanceof KeyboardEvent) || event.key !== ' ' || !data) return;
  event.preventDefault();
  context.toggle(data);
}

function TickCell({ data, context }: ICellRendererParams<LinkRow, unknown, Marks>) {
  const { t } = useTranslation();
  if (!data) return null;
  const { template, process } = data;
  return (
    <Checkbox
      size="xs"
      tabIndex={-1}
      checked={context.ticked.has(data.key)}
      onChange={() => context.toggle(data)}
      aria-label={t('templates.tick', { id: template.id, process: process.code })}
    />
  );
}
