import type { CellKeyDownEvent, ColDef, GridOptions, ICellRendererParams } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { fateWord } from '../../app/engineWords';
import { useOperations } from '../../app/state';
import { operationName, useFormats } from '../../app/useFormats';
import { Grid } from '../../components/Grid';
import { FateSign } from '../../components/Mark';
import { useSiteName } from '../../components/SiteName';
import type { SubmissionView } from '../../ipc/bindings';
import { fates } from '../submission/fates';
import styles from './history.module.css';

type Props = { submissions: SubmissionView[]; open: (id: number) => void };
type Cell = ICellRendererParams<SubmissionView>;

/** Submissions as a list; Enter or a double click opens one. */
export function HistoryGrid({ submissions, open }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const operations = useOperations();
  const siteName = useSiteName();
  const columns = useMemo<ColDef<SubmissionView>[]>(
    () => [
      {
        colId: 'started',
        headerName: t('history.when'),
        width: 168,
        sortable: true,
        field: 'started',
        cellRenderer: When,
        cellRendererParams: { open },
      },
      {
        headerName: t('history.operation'),
        flex: 1,
        minWidth: 150,
        sortable: true,
        valueGetter: ({ data }) => data && operationName(operations, data.operation, name),
      },
      { headerName: t('history.site'), width: 100, sortable: true, valueGetter: ({ data }) => data && siteName(data.site) },
      { headerName: t('history.file'), field: 'file', flex: 1, minWidth: 120, sortable: true },
      {
        headerName: t('history.state'),
        width: 104,
        sortable: true,
        valueGetter: ({ data }) => data && t(`submission.states.${data.state}`),
      },
      { headerName: t('history.rows'), field: 'total', width: 72, sortable: true, type: 'rightAligned' },
      { headerName: t('history.fates'), width: 240, cellRenderer: FateCounts },
    ],
    [t, operations, name, siteName, open],
  );
  const options = useMemo<GridOptions<SubmissionView>>(
    () => ({
      getRowId: ({ data }) => String(data.id),
      onRowDoubleClicked: ({ data }) => data && open(data.id),
      onCellKeyDown: (event) => {
        if ('column' in event && entered(event) && event.data) open(event.data.id);
      },
    }),
    [open],
  );
  return (
    <Grid label={t('history.grid')} testId="grid-history" columns={columns} options={{ ...options, rowData: submissions }} />
  );
}

function When({ data, open }: Cell & Pick<Props, 'open'>) {
  const { moment } = useFormats();
  if (!data) return null;
  return (
    <button type="button" tabIndex={-1} className={styles.open} onClick={() => open(data.id)} data-testid={`open-${data.id}`}>
      {moment(data.started)}
    </button>
  );
}

function entered({ event }: Pick<CellKeyDownEvent, 'event'>): boolean {
  return event instanceof KeyboardEvent && event.key === 'Enter';
}

function FateCounts({ data }: Cell) {
  const { number } = useFormats();
  if (!data) return null;
  return (
    <span className={styles.counts}>
      {fates
        .filter((fate) => data.counts[fate] > 0)
        .map((fate) => (
          <span key={fate} title={fateWord(fate)}>
            <FateSign fate={fate} /> <span className="number">{number(data.counts[fate])}</span>
            <span className="hidden"> {fateWord(fate)}</span>
          </span>
        ))}
    </span>
  );
}
