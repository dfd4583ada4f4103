import type { GridApi, GridOptions, IDatasource } from 'ag-grid-community';
import { useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { PlainGrid } from '../../components/Grid';
import { tellProblem } from '../../components/tellProblem';
import { type EventLine, type EventQuery, commands, events } from '../../ipc/bindings';
import { listen } from '../../ipc/listen';
import { useEventColumns } from './columns';

type Props = { open: (event: number) => void; onTotal: (total: number) => void };

/** Events as a list, read piece by piece. */
export function EventGrid({ open, onTotal }: Props) {
  const { t } = useTranslation();
  const api = useRef<GridApi<EventLine> | null>(null);
  const columns = useEventColumns();
  const datasource = useMemo(() => source(everything, onTotal), [onTotal]);
  useEffect(() => listen(events.eventsCame, () => api.current?.refreshInfiniteCache()), []);
  const options: GridOptions<EventLine> = {
    ...plain,
    datasource,
    onCellFocused: ({ rowIndex, api: grid }) => {
      const event = grid.getDisplayedRowAtIndex(rowIndex ?? -1)?.data;
      if (event) open(event.id);
    },
  };
  return (
    <PlainGrid
      label={t('inbox.title')}
      testId="grid-events"
      columns={columns}
      options={options}
      onReady={(ready) => {
        api.current = ready;
      }}
    />
  );
}

function source(query: EventQuery, onTotal: Props['onTotal']): IDatasource {
  return {
    getRows: ({ startRow, endRow, successCallback, failCallback }) => {
      commands.eventList(query, startRow, endRow - startRow).then(
        ({ rows, total }) => {
          onTotal(total);
          successCallback(rows, total);
        },
        (cause: unknown) => {
          failCallback();
          tellProblem(cause);
        },
      );
    },
  };
}

const everything: EventQuery = {
  site: null,
  kinds: [],
  states: [],
  station: null,
  employee: null,
  order: null,
  text: null,
  since: null,
  until: null,
  upTo: null,
};

const plain: GridOptions<EventLine> = {
  rowModelType: 'infinite',
  cacheBlockSize: 200,
  maxBlocksInCache: 20,
  getRowId: ({ data }) => String(data.id),
};
