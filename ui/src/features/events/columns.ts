import type { ColDef } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import type { EventLine } from '../../ipc/bindings';

/** The list's columns. Its cells are drawn without React. */
export function useEventColumns(): ColDef<EventLine>[] {
  const { t } = useTranslation();
  const { moment, name } = useFormats();
  return useMemo(
    () => [
      { colId: 'received', headerName: t('inbox.columns.received'), width: 150, valueGetter: ({ data }) => data && moment(data.received) },
      {
        colId: 'kind',
        headerName: t('inbox.columns.kind'),
        width: 220,
        valueGetter: ({ data }) => data && (data.names ? name({ names: data.names }) : (data.kind ?? '')),
      },
      { colId: 'order', headerName: t('inbox.columns.order'), width: 130, cellClass: 'mono', valueGetter: ({ data }) => data?.order },
      { colId: 'station', headerName: t('inbox.columns.station'), width: 130, valueGetter: ({ data }) => data?.stationName ?? data?.station },
      { colId: 'person', headerName: t('inbox.columns.person'), width: 150, valueGetter: ({ data }) => data?.person ?? data?.employee },
      { colId: 'description', headerName: t('inbox.columns.description'), flex: 1, minWidth: 160, field: 'description' },
    ],
    [t, moment, name],
  );
}
