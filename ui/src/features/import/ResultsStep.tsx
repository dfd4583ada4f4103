import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Results } from '../submission/Results';
import { useImport } from './session';

/** What became of this import's rows. */
export function ResultsStep() {
  const { t } = useTranslation();
  const { submission, view, leave } = useImport();
  if (submission === null) return null;
  return (
    <Results
      id={submission}
      title={t('import.steps.results')}
      workbook={view?.id}
      actions={
        <Button variant="default" onClick={leave} data-testid="new-import">
          {t('import.again')}
        </Button>
      }
    />
  );
}
