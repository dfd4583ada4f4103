import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import { type Step, reachable, useImport } from '@/features/import-session';
import type { ImportView } from '@/ipc/bindings';
import { DraftNote } from './DraftNote';
import { OtherSiteNote } from './OtherSiteNote';
import { PlanBar } from './PlanBar';
import { SiteCheckLine } from './SiteCheckLine';
import { StepLine } from './StepLine';
import { CheckStep } from './check/CheckStep';
import { ColumnsStep } from './columns/ColumnsStep';
import { inWords } from './common/fieldNames';
import { useElsewhere, useMoveWithSite } from './common/importSite';
import { usePlanRequest } from './common/plan';
import { useSiteCheck } from './common/useSiteCheck';
import { FileStep } from './file/FileStep';
import { PreviewStep } from './preview/PreviewStep';
import { ResultsStep } from './results/ResultsStep';
import { SendStep } from './send/SendStep';
import { useStepKeys } from './useStepKeys';
import styles from './import.module.css';

const next: Partial<Record<Step, 'columns' | 'check' | 'preview' | 'send'>> = {
  file: 'columns',
  columns: 'check',
  check: 'preview',
  preview: 'send',
};

/** What is done with an open file, step by step. */
export function ImportSteps({ view }: { view: ImportView }) {
  const { t, i18n } = useTranslation();
  const { name } = useFormats();
  const operations = useOperations();
  const session = useImport();
  const { step } = session;
  useStepKeys();
  useMoveWithSite(view);
  const elsewhere = useElsewhere(view);
  // What was sent is shown wherever the window is; what is to be sent isn't.
  const isElsewhere = elsewhere !== null && (step === 'preview' || step === 'send') && session.plan === null;
  const against = useSiteCheck(view);
  usePlanRequest(view);
  const following = next[step];
  const onward = following && (
    <Button
      onClick={() => session.goStep(following)}
      disabled={!reachable(following, session) || session.busy}
      data-testid="go-on"
    >
      {t(`import.goTo.${following}`)}
    </Button>
  );
  const operation = view.operation ? operationName(operations, view.operation, name) : null;
  return (
    <div className={styles.frame}>
      <StepLine />
      {session.plan === null && <DraftNote view={view} />}
      {(step === 'columns' || step === 'check') && <PlanBar view={view} />}
      <div className={styles.body}>
        {step === 'results' ? (
          <ResultsStep />
        ) : (
          <PageFrame
            title={t(`import.steps.${step}`)}
            aside={
              // Before sending, the page itself says what goes where.
              step === 'send' && session.plan === null ? null : (
                <>
                  <span>{view.file}</span>
                  {operation && <span>{operation}</span>}
                  {step === 'check' && view.settled && (
                    <Button size="compact-xs" variant="subtle" onClick={() => session.goStep('columns')} data-testid="mapped-itself">
                      {t('import.mappedItself')}
                    </Button>
                  )}
                </>
              )
            }
            action={onward}
            filter={
              session.problem && (
                <div className={styles.problem}>
                  <ProblemNote problem={inWords(session.problem, view.fields, i18n.language)} />
                </div>
              )
            }
            edge={step === 'check' || step === 'columns' || step === 'preview'}
          >
            {step === 'file' && <FileStep view={view} />}
            {step === 'columns' && <ColumnsStep key={`${view.sheet}·${view.operation}·${view.headerRow}`} view={view} />}
            {elsewhere !== null && (step === 'check' || isElsewhere) && (
              <div className={step === 'send' ? undefined : styles.against}>
                <OtherSiteNote view={view} elsewhere={elsewhere} />
              </div>
            )}
            {step === 'check' && (
              <div className={styles.column}>
                {elsewhere === null && (
                  <div className={styles.against}>
                    <SiteCheckLine view={view} against={against} />
                  </div>
                )}
                <CheckStep key={view.sheet} view={view} />
              </div>
            )}
            {step === 'preview' && !isElsewhere && <PreviewStep view={view} against={against} />}
            {step === 'send' && !isElsewhere && (
              <>
                <div className={styles.checked}>
                  <SiteCheckLine view={view} against={against} />
                </div>
                <SendStep view={view} />
              </>
            )}
          </PageFrame>
        )}
      </div>
    </div>
  );
}
