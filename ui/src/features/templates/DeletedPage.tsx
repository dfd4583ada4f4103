import { ActionIcon, Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { CellClassParams, ColDef } from 'ag-grid-community';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { Grid, PlainGrid } from '@/components/grid/Grid';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { EmptyState } from '@/components/page/EmptyState';
import { PageFrame } from '@/components/page/PageFrame';
import { usePanel } from '@/components/page/usePanel';
import { type DeletedView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { BackButton } from './common/BackButton';
import styles from './common/templates.module.css';

/** Shows the rows of a saved workbook. */
function DeletedTable({ workbook, close }: { workbook: DeletedView; close: () => void }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { file } = workbook;
  const table = useQuery({ queryKey: queryKeys.deletion(file), queryFn: () => commands.deletedTable(file), staleTime: 0, gcTime: 0 });
  const save = useMutation({ mutationFn: () => commands.deletedSave(file, t('deleted.saveTitle')), onSuccess: (path) => showSavedNotice(path), onError: showProblemNotice });
  const open = useMutation({ mutationFn: () => commands.deletedOpen(file), onError: showProblemNotice });
  const columns = useMemo<ColDef<string[]>[]>(
    () =>
      (table.data?.columns ?? []).map((headerName, place) => ({
        colId: String(place),
        headerName,
        width: 132,
        sortable: true,
        valueGetter: ({ data }) => data?.[place],
      })),
    [table.data],
  );
  const problem = table.error ? toProblem(table.error) : workbook.problem;
  const rows = table.data?.rows;
  return (
    <aside className={styles.table} aria-label={file} ref={usePanel(close)} tabIndex={-1} data-testid="deleted-table">
      <header className={styles.tableHead}>
        <h2>{file}</h2>
        <Button size="xs" variant="default" onClick={() => open.mutate()} data-testid="deleted-open">
          {t('deleted.open')}
        </Button>
        <Button size="xs" variant="default" onClick={() => save.mutate()} data-testid="deleted-save">
          {t('deleted.save')}
        </Button>
        <ActionIcon variant="subtle" color="petrol" size="sm" onClick={close} aria-label={t('common.closePanel')}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </header>
      {problem && <ProblemNote problem={problem} />}
      {!table.error && (
        <PlainGrid label={file} testId="grid-deleted-rows" columns={columns} options={{ rowData: rows ?? NO_ROWS, loading: !rows }} />
      )}
      {table.data && (
        <p className={styles.path} data-testid="deleted-path">
          {table.data.rows.length < table.data.total &&
            t('deleted.first', { count: table.data.total, rows: number(table.data.rows.length), total: number(table.data.total) })}{' '}
          <code>{table.data.path}</code>
        </p>
      )}
    </aside>
  );
}

const NO_ROWS: string[][] = [];

/** Lists earlier deletions. Each has a workbook with the deleted rows. */
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
      isFullWidth
      stacks
    >
      {deletions.error ? (
        <ProblemNote problem={toProblem(deletions.error)} />
      ) : rows?.length === 0 ? (
        <EmptyState picture="history" text={t('deleted.none')} testId="deleted-none" />
      ) : (
        <>
          <div className={styles.kept}>
            <DeletionGrid rows={rows ?? NO_DELETIONS} loading={!rows} open={setOpen} />
          </div>
          {chosen && <DeletedTable workbook={chosen} close={() => setOpen(null)} />}
        </>
      )}
    </PageFrame>
  );
}

const NO_DELETIONS: DeletedView[] = [];

function DeletionGrid({ rows, loading, open }: { rows: DeletedView[]; loading: boolean; open: (file: string) => void }) {
  const { t } = useTranslation();
  const { dateTime, number } = useFormats();
  const siteName = useSiteName();
  const columns = useMemo<ColDef<DeletedView>[]>(() => {
    const count = (headerName: string, of: (row: DeletedView) => number): ColDef<DeletedView> => ({
      headerName,
      width: 92,
      type: 'rightAligned',
      cellClass: ({ value }: CellClassParams<DeletedView, number>) => (value === 0 ? 'muted' : undefined),
      valueGetter: ({ data }) => (data?.submission ? of(data) : null),
      valueFormatter: ({ value }: { value: number | null | undefined }) => (typeof value === 'number' ? number(value) : ''),
    });
    return [
      { headerName: t('deleted.at'), width: 168, valueGetter: ({ data }) => data && dateTime(data.started) },
      { headerName: t('site.site'), flex: 1, minWidth: 100, valueGetter: ({ data }) => data?.site && siteName(data.site) },
      count(t('deleted.deleted'), (row) => row.counts.accepted),
      count(t('deleted.rest'), (row) => row.total - row.counts.accepted),
      { headerName: t('deleted.by'), width: 120, field: 'person' },
    ];
  }, [t, dateTime, number, siteName]);
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
