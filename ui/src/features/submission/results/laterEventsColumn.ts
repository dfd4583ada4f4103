import type { ColDef } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useEventTitle } from '@/base/useEventTitle';
import { useFormats } from '@/base/useFormats';
import type { ShownRow } from './useLaterEvents';

/** How many events came after a row was sent, and the last of them. */
export function useLaterEventsColumn(): ColDef<ShownRow> {
  const { t } = useTranslation();
  const { number, timeOfDay } = useFormats();
  const title = useEventTitle();
  return useMemo(
    () => ({
      colId: 'after',
      headerName: t('after.column'),
      width: 260,
      valueGetter: ({ data }) => {
        const last = data?.after?.events[0];
        if (!data?.after || !last) return '';
        return t('after.cell', { count: data.after.count, shown: number(data.after.count), name: title(last), time: timeOfDay(last.received) });
      },
    }),
    [t, number, timeOfDay, title],
  );
}
