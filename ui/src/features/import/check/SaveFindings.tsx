import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '@/base/preferences';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { type ImportView, commands } from '@/ipc/bindings';

/** A copy of the planner's own workbook, with each row's status and reasons beside it. */
export function SaveFindings({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const save = useMutation({
    mutationFn: () => {
      const name = t('check.findingsName', { name: view.file.replace(/\.[^.]+$/u, '') });
      return commands.importSaveFindings(view.id, language, t('check.saveTitle'), name);
    },
    onSuccess: (saved) => {
      if (saved) showSavedNotice(saved.path, t(saved.whole ? 'common.savedTo' : 'check.savedNew', { path: saved.path }));
    },
    onError: showProblemNotice,
  });
  return (
    <Button variant="default" size="xs" onClick={() => save.mutate()} disabled={save.isPending} data-testid="save-findings">
      {t('check.saveFindings')}
    </Button>
  );
}
