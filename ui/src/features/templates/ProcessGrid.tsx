import type { ColDef, GridOptions, RowSelectionOptions } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import { Grid } from '../../components/Grid';
import type { ProcessRow } from '../../ipc/bindings';

type Props = { rows: ProcessRow[]; loading: boolean; onTicked: (rows: ProcessRow[]) => void };

const ticks: RowSelectionOptions<ProcessRow> = {
  mode: 'multiRow',
  checkboxes: true,
  headerCheckbox: true,
  enableClickSelection: false,
};

/** The processes of the templates that were read, with a tick for each link to collect. */
export function ProcessGrid({ rows, loading, onTicked }: Props) {
  const { t } = useTranslation();
  const { duration } = useFormats();
  const columns = useMemo<ColDef<ProcessRow>[]>(
    () => [
      { field: 'templateId', headerName: t('templates.template'), width: 88, sortable: true },
      { field: 'code', headerName: t('templates.process'), width: 104, sortable: true, cellClass: 'mono' },
      { field: 'description', headerName: t('templates.description'), flex: 1, minWidth: 130, sortable: true },
      time('laborSeconds', t('templates.labor'), duration),
      time('machineSeconds', t('templates.machine'), duration),
      {
        field: 'isQualityInspection',
        headerName: t('templates.quality'),
        width: 108,
        sortable: true,
        valueFormatter: ({ value }) => (value === true ? t('common.yes') : t('common.no')),
        cellClass: ({ value }) => (value === true ? undefined : 'muted'),
      },
    ],
    [t, duration],
  );
  const options = useMemo<GridOptions<ProcessRow>>(
    () => ({
      rowSelection: ticks,
      selectionColumnDef: { width: 44, pinned: 'left', resizable: false },
      getRowId: ({ data }) => `${data.templateId}-${data.code}`,
      onSelectionChanged: ({ api }) => onTicked(api.getSelectedRows()),
      loading,
    }),
    [onTicked, loading],
  );
  return (
    <Grid
      label={t('templates.grid')}
      testId="grid-processes"
      columns={columns}
      options={{ ...options, rowData: rows }}
    />
  );
}

function time(
  field: 'laborSeconds' | 'machineSeconds',
  headerName: string,
  duration: (seconds: number) => string,
): ColDef<ProcessRow> {
  return {
    field,
    headerName,
    width: 114,
    sortable: true,
    type: 'rightAligned',
    valueFormatter: ({ value }: { value: number | null | undefined }) => (typeof value === 'number' ? duration(value) : ''),
  };
}
