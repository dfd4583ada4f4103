import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { type SubmissionView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from '../common/submission.module.css';

/** Tells that deleted rows can't be restored, and offers the workbook with their values. */
export function DeletedWorkbook({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const { id, counts, state } = submission;
  const deletes = useOperations().some((operation) => operation.id === submission.operation && operation.kind === 'delete');
  const enabled = deletes && counts.accepted > 0 && state !== 'running';
  const workbook = useQuery({ queryKey: queryKeys.deletedWorkbook(id, counts.accepted), queryFn: () => commands.deletedWorkbook(id), enabled, retry: false });
  const file = workbook.data?.file ?? '';
  const open = useMutation({ mutationFn: () => commands.deletedOpen(file), onError: showProblemNotice });
  const save = useMutation({ mutationFn: () => commands.deletedSave(file, t('deleted.saveTitle')), onSuccess: (path) => showSavedNotice(path), onError: showProblemNotice });
  if (!enabled || workbook.isPending) return null;
  if (workbook.error) return <ProblemNote problem={toProblem(workbook.error)} />;
  if (!workbook.data) return <p data-testid="no-restore">{t('decide.noWorkbook')}</p>;
  return (
    <div className={styles.deleted} data-testid="no-restore">
      <span>{t('decide.noRestore', { count: counts.accepted })}</span>
      <code>{workbook.data.path}</code>
      <Button size="compact-xs" variant="default" onClick={() => open.mutate()} data-testid="deleted-open">
        {t('deleted.open')}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => save.mutate()} data-testid="deleted-save">
        {t('deleted.save')}
      </Button>
    </div>
  );
}
