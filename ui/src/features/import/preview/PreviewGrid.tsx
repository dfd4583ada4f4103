import type { ColDef, GridOptions, ICellRendererParams, IDatasource } from 'ag-grid-community';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Grid } from '@/components/grid/Grid';
import { KindMark } from '@/components/marks/KindMark';
import { ProblemNote } from '@/components/notices/ProblemNote';
import {
  type ImportView,
  type PreviewKind,
  type PreviewRow,
  type PreviewView,
  type Problem,
  commands,
} from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { ErrorTexts } from './ErrorTexts';
import { toDeletedField, FieldChange } from './FieldChange';
import styles from './preview.module.css';

type Props = {
  view: ImportView;
  preview: PreviewView;
  step: number;
  kind: PreviewKind | null;
  onRow: (row: PreviewRow | null) => void;
};

type GridContext = { view: ImportView; deletes: boolean };

/** Rows with their outcomes, loaded block by block. */
export function PreviewGrid({ view, preview, step, kind, onRow }: Props) {
  const { t } = useTranslation();
  const deletes = preview.steps[step]?.deletes ?? false;
  const [problem, setProblem] = useState<Problem | null>(null);
  const [total, setTotal] = useState<number | null>(null);
  const columns = useMemo<ColDef<PreviewRow>[]>(
    () => [
      { colId: 'kind', headerName: t('preview.what'), width: 132, cellRenderer: KindCell },
      { colId: 'row', headerName: t('submission.row'), width: 76, field: 'row' },
      { colId: 'key', headerName: t('submission.key'), width: 200, field: 'key', cellClass: 'mono' },
      { colId: 'changes', headerName: t('preview.changes'), flex: 1, minWidth: 240, cellRenderer: ChangesCell },
    ],
    [t],
  );
  const datasource = useMemo<IDatasource>(
    () => ({
      getRows: ({ startRow, endRow, successCallback, failCallback }) => {
        commands.previewRows(preview.import, step, kind, startRow, endRow - startRow).then(
          (page) => {
            setProblem(null);
            setTotal(page.total);
            successCallback(page.rows, page.total);
          },
          (cause: unknown) => {
            setProblem(toProblem(cause));
            failCallback();
          },
        );
      },
    }),
    [preview, step, kind],
  );
  const options = useMemo<GridOptions<PreviewRow>>(
    () => ({
      rowModelType: 'infinite',
      cacheBlockSize: 200,
      maxBlocksInCache: 20,
      context: { view, deletes },
      onCellFocused: ({ rowIndex, api }) => {
        onRow(rowIndex === null ? null : (api.getDisplayedRowAtIndex(rowIndex)?.data ?? null));
      },
    }),
    [onRow, view, deletes],
  );
  return (
    <div className={styles.grid}>
      {problem && <ProblemNote problem={problem} />}
      {total === 0 && (
        <p className={styles.nothing} role="status">
          {t(kind === null ? 'preview.nothing' : 'preview.none')}
        </p>
      )}
      <Grid label={t('preview.grid')} testId="grid-preview" columns={columns} options={{ ...options, datasource }} />
    </div>
  );
}

function KindCell({ data, context }: ICellRendererParams<PreviewRow, unknown, GridContext>) {
  return data ? <KindMark kind={data.kind} deletes={context.deletes} /> : null;
}

function ChangesCell({ data, context }: ICellRendererParams<PreviewRow, unknown, GridContext>) {
  if (!data) return null;
  if (data.errors.length > 0) return <ErrorTexts errors={data.errors} fields={context.view.fields} />;
  if (data.reason !== null) return data.reason;
  return (
    <span className={styles.changes}>
      {data.fields.map((field) => (
        <FieldChange
          key={field.field}
          view={context.view}
          field={context.deletes ? toDeletedField(field) : field}
          isNew={context.deletes || data.kind === 'new'}
        />
      ))}
    </span>
  );
}
