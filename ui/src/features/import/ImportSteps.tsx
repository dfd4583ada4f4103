import { Button, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconX } from '@tabler/icons-react';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { PageFrame } from '@/components/page/PageFrame';
import { StepTabs } from '@/components/page/StepTabs';
import { isReachable, type Step, steps, useImport } from '@/features/import-session';
import { PlanTabs, Results, usePlan } from '@/features/submission';
import { type ImportView, commands } from '@/ipc/bindings';
import { usePageKeys } from '@/components/page/pageKeys';

import { DraftNote } from './DraftNote';
import { SiteCheckLine } from './SiteCheckLine';
import { CheckStep } from './check/CheckStep';
import { ColumnsStep } from './columns/ColumnsStep';
import { StepMark } from './common/StepMark';
import { withFieldName } from './common/fieldNames';
import { useOtherSite, useMoveWithSite } from './common/importSite';
import { usePlanRequest } from './common/plan';
import { useSiteCheck } from './common/useSiteCheck';
import { FileStep } from './file/FileStep';
import { PreviewStep } from './preview/PreviewStep';
import { SendStep } from './send/SendStep';
import planStyles from './common/plan.module.css';
import styles from './import.module.css';
import siteStyles from './site.module.css';

/** The import's steps. Reachable ones are buttons. */
function StepLine() {
  const { t } = useTranslation();
  const session = useImport();
  const at = steps.indexOf(session.step);
  return (
    <nav aria-label={t('import.stepsName')} className={styles.stepLine}>
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          <li key={step} data-done={index < at}>
            <UnstyledButton
              className={styles.step}
              aria-current={step === session.step ? 'step' : undefined}
              disabled={!isReachable(step, session)}
              onClick={() => session.goStep(step)}
              data-testid={`step-${step}`}
            >
              {t(`import.steps.${step}`)}
            </UnstyledButton>
          </li>
        ))}
      </ol>
      {session.step !== 'results' && (
        <Button
          className={styles.close}
          variant="subtle"
          size="compact-sm"
          aria-label={t('import.leave')}
          title={t('import.leave')}
          onClick={() => void session.leave()}
          data-testid="import-leave"
        >
          <IconX size={14} aria-hidden />
          <span className={styles.closeText}>{t('import.leave')}</span>
        </Button>
      )}
    </nav>
  );
}

/**
 * Enter goes to the next step and Escape to the previous one, unless the focused element uses the key. Enter never sends
 * anything.
 */
function useStepKeys(): void {
  const session = useImport();
  const { step, goStep } = session;
  usePageKeys((event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || isOwnKey(event)) return;
    const at = steps.indexOf(step);
    const target = event.key === 'Enter' ? steps[at + 1] : event.key === 'Escape' ? steps[at - 1] : undefined;
    if (!target || !isReachable(target, session)) return;
    event.preventDefault();
    goStep(target);
  });
}

/** Whether the focused element uses the key. */
function isOwnKey(event: KeyboardEvent): boolean {
  const at = event.target;
  if (!(at instanceof HTMLElement)) return false;
  // Here Enter edits the cell, and Escape cancels that.
  if (at.closest('[data-testid="grid-check"]')) return true;
  if (at instanceof HTMLInputElement) return at.type !== 'radio';
  if (at.matches('select, textarea, [contenteditable="true"]')) return true;
  return event.key === 'Enter' && at.matches('button, a, summary');
}

/** Switches between sheets in the columns and check steps. */
function PlanBar({ view }: { view: ImportView }) {
  const { apply, busy } = useImport();
  return (
    <StepTabs
      tabs={view.steps.map((step) => ({ key: step.sheet, name: step.sheet, mark: <StepMark step={step} />, testId: `plan-go-${step.sheet}` }))}
      chosen={view.sheet}
      choose={busy ? undefined : (sheet) => void apply(commands.importSheet(view.id, String(sheet)))}
      testId="plan-bar"
    />
  );
}

/** Explains why the import is bound to its site, and offers to return to it. */
function OtherSiteNote({ view, elsewhere }: { view: ImportView; elsewhere: string }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const { destination } = view;
  if (!destination) return null;
  const { fixed } = destination;
  const [site, other] = [siteName(destination.site), siteName(elsewhere)];
  return (
    <div className={siteStyles.elsewhere} role="alert" data-testid="other-site">
      <span>
        {fixed?.kind === 'sample'
          ? t('import.otherSite.sample', { site, other })
          : fixed
            ? t('import.otherSite.rejected', { site, other })
            : t('import.otherSite.moving', { other })}
      </span>
      {fixed && (
        <Button size="xs" onClick={() => void commands.siteChoose(destination.site).catch(showProblemNotice)} data-testid="other-site-back">
          {t('import.otherSite.back', { site })}
        </Button>
      )}
    </div>
  );
}

/** The results of the import's rows, step by step. */
function ResultsStep() {
  const { plan } = useImport();
  return plan === null ? null : <PlanResults id={plan} />;
}

function PlanResults({ id }: { id: number }) {
  const { t } = useTranslation();
  const { view, leave } = useImport();
  const { plan } = usePlan(id);
  const [chosen, setChosen] = useState<number | null>(null);
  if (!plan) return null;
  // Starts with the first step that has failures.
  const worst = plan.submissions.find((one) => one.counts.accepted + one.counts.skipped !== one.total);
  const step = plan.submissions.find((one) => one.id === chosen) ?? worst ?? plan.submissions[0];
  if (!step) return null;
  return (
    <div className={planStyles.results}>
      <PlanTabs plan={plan} chosen={step.id} choose={setChosen} />
      <Results
        key={step.id}
        id={step.id}
        title={t('import.steps.results')}
        workbook={view?.id}
        leave={() => void leave()}
      />
    </div>
  );
}

const NEXT_STEP: Partial<Record<Step, 'columns' | 'check' | 'preview' | 'send'>> = {
  file: 'columns',
  columns: 'check',
  check: 'preview',
  preview: 'send',
};

/** The steps of an open file. */
export function ImportSteps({ view }: { view: ImportView }) {
  const { t, i18n } = useTranslation();
  const { name } = useFormats();
  const operations = useOperations();
  const session = useImport();
  const { step } = session;
  useStepKeys();
  useMoveWithSite(view);
  const elsewhere = useOtherSite(view);
  // A plan that was sent is shown at any site, an unsent one only at its own.
  const isElsewhere = elsewhere !== null && (step === 'preview' || step === 'send') && session.plan === null;
  const against = useSiteCheck(view);
  usePlanRequest(view);
  const following = NEXT_STEP[step];
  const onward = following && (
    <Button
      onClick={() => session.goStep(following)}
      disabled={!isReachable(following, session) || session.busy}
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
              // Before sending, the page itself shows the destination.
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
                  <ProblemNote problem={withFieldName(session.problem, view.fields, i18n.language)} />
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
