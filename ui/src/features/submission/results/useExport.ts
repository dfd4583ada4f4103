import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { showSavedNotice } from '@/components/notices/savedNotice';
import { type SubmissionView, commands } from '@/ipc/bindings';

/** Saves every row's result: into a copy of the planner's own workbook, where that is still open. */
export function useExport(submission: SubmissionView, workbook: number | null) {
  const { t } = useTranslation();
  return useMutation({
    mutationFn: () => {
      const stem = submission.file.replace(/\.[^.]+$/u, '') || submission.operation;
      const name = t('submission.saveName', { name: stem });
      return commands.submissionExport(submission.id, workbook, t('submission.saveTitle'), name);
    },
    onSuccess: showSavedNotice,
  });
}
