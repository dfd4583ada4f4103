import { ActionIcon, Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconX } from '@tabler/icons-react';
import type { ColDef } from 'ag-grid-community';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { PlainGrid } from '@/components/grid/Grid';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { usePanel } from '@/components/page/usePanel';
import { type DeletedView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from '../common/templates.module.css';

/** The rows of a saved workbook. */
export function DeletedTable({ workbook, close }: { workbook: DeletedView; close: () => void }) {
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
