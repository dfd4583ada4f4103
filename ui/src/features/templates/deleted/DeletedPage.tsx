import type { ColDef } from 'ag-grid-community';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { Grid } from '@/components/grid/Grid';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { type DeletedView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { BackButton } from '../common/BackButton';
import { DeletedTable } from './DeletedTable';
import styles from '../common/templates.module.css';

/** Earlier deletions with their saved workbooks. */
export function DeletedPage({ back }: { back: () => void }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<string | null>(null);
  const deletions = useQuery({ queryKey: queryKeys.deletions, queryFn: () => commands.deletedList(), staleTime: 0, gcTime: 0 });
  const rows = deletions.data;
  const chosen = rows?.find(({ file }) => file === open);
  return (
    <PageFrame
      title={t('deleted.title')}
      action={<BackButton back={back} />}
      status={<span className="number">{rows && t('deleted.count', { count: rows.length })}</span>}
      edge
    >
      {deletions.error ? (
        <ProblemNote problem={toProblem(deletions.error)} />
      ) : rows?.length === 0 ? (
        <p className={styles.empty} data-testid="deleted-none">
          {t('deleted.none')}
        </p>
      ) : (
        <>
          <div className={styles.kept}>
            <KeptGrid rows={rows ?? NO_DELETIONS} loading={!rows} open={setOpen} />
          </div>
          {chosen && <DeletedTable workbook={chosen} close={() => setOpen(null)} />}
        </>
      )}
    </PageFrame>
  );
}

const NO_DELETIONS: DeletedView[] = [];

function KeptGrid({ rows, loading, open }: { rows: DeletedView[]; loading: boolean; open: (file: string) => void }) {
  const { t } = useTranslation();
  const { moment, number } = useFormats();
  const siteName = useSiteName();
  const columns = useMemo<ColDef<DeletedView>[]>(() => {
    const count = (headerName: string, of: (row: DeletedView) => number): ColDef<DeletedView> => ({
      headerName,
      width: 92,
      type: 'rightAligned',
      valueGetter: ({ data }) => (data?.submission ? of(data) : null),
      valueFormatter: ({ value }: { value: number | null | undefined }) => (typeof value === 'number' ? number(value) : ''),
    });
    return [
      { headerName: t('deleted.at'), width: 168, valueGetter: ({ data }) => data && moment(data.started) },
      { headerName: t('site.site'), flex: 1, minWidth: 100, valueGetter: ({ data }) => data?.site && siteName(data.site) },
      count(t('deleted.deleted'), (row) => row.counts.accepted),
      count(t('deleted.rest'), (row) => row.total - row.counts.accepted),
      { headerName: t('deleted.by'), width: 120, field: 'person' },
    ];
  }, [t, moment, number, siteName]);
  return (
    <Grid
      label={t('deleted.title')}
      testId="grid-deleted"
      columns={columns}
      options={{
        rowData: rows,
        loading,
        getRowId: ({ data }) => data.file,
        onCellFocused: ({ rowIndex, api }) => {
          const row = rowIndex === null ? undefined : api.getDisplayedRowAtIndex(rowIndex)?.data;
          if (row) open(row.file);
        },
      }}
    />
  );
}
