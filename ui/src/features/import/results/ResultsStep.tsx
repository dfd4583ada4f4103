import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { Results } from '@/features/submission';
import { PlanResults } from './PlanResults';

/** What became of this import's rows. */
export function ResultsStep() {
  const { t } = useTranslation();
  const { submission, plan, view, leave } = useImport();
  if (plan !== null) return <PlanResults id={plan} />;
  if (submission === null) return null;
  return (
    <Results
      id={submission}
      title={t('import.steps.results')}
      workbook={view?.id}
      actions={
        <Button variant="default" onClick={() => void leave()} data-testid="new-import">
          {t('import.again')}
        </Button>
      }
    />
  );
}
