import { ActionIcon, Button, Tooltip, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconX } from '@tabler/icons-react';

import { useOperations } from '@/base/appState';
import { problemTitle, uncheckedText } from '@/base/engineTexts';
import { operationName, useFormats } from '@/base/useFormats';
import { FixedWidthLabel } from '@/components/controls/FixedWidthLabel';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { PageFrame } from '@/components/page/PageFrame';
import { StepTabs } from '@/components/page/StepTabs';
import { isReachable, type Step, steps, useImport } from '@/features/import-session';
import { useSignIn } from '@/features/sign-in';
import { PlanTabs, Results, usePlan } from '@/features/submission';
import { type ImportView, commands } from '@/ipc/bindings';
import { usePageKeys } from '@/components/page/pageKeys';

import { CheckStep } from './check/CheckStep';
import { ColumnsStep } from './columns/ColumnsStep';
import { StepMark } from './common/StepMark';
import { fieldName, withFieldName } from './common/fieldNames';
import { useImportSite, useMoveWithSite, useOtherSite } from './common/importSite';
import { usePlanRequest } from './common/plan';
import { useDraftSummary } from './common/useDraftSummary';
import { type SiteCheck, useSiteCheck } from './common/useSiteCheck';
import { FileStep } from './file/FileStep';
import { PreviewStep } from './preview/PreviewStep';
import { SendNow, useReadyChanges } from './send/SendNow';
import { SendStep } from './send/SendStep';
import planStyles from './common/plan.module.css';
import styles from './import.module.css';

/** The import's steps. Reachable ones are buttons. */
function StepList() {
  const { t } = useTranslation();
  const session = useImport();
  const at = steps.indexOf(session.step);
  return (
    <nav aria-label={t('import.stepsName')} className={styles.stepList}>
      <ol className={styles.steps}>
        {steps.map((step, index) => (
          <li key={step} data-done={index < at}>
            <UnstyledButton
              className={styles.step}
              aria-current={step === session.step ? 'step' : undefined}
              disabled={!isReachable(step, session)}
              onClick={() => session.goToStep(step)}
              data-testid={`step-${step}`}
            >
              {t(`import.steps.${step}`)}
            </UnstyledButton>
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The import's only header line: steps, file and operation, closing the file, and the next step. */
function ImportHeader({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const operations = useOperations();
  const session = useImport();
  const { step } = session;
  const following = NEXT_STEP[step];
  const readyChanges = useReadyChanges(view);
  const ready = step === 'preview' ? readyChanges : 0;
  const operation = view.operation ? operationName(operations, view.operation, name) : null;
  const file = [view.file, operation].filter((text) => text !== null).join(' · ');
  return (
    <header className={styles.header}>
      {/* The results have their own heading. */}
      {step !== 'results' && <h1 className="hidden">{t(`import.steps.${step}`)}</h1>}
      <StepList />
      <div className={styles.file}>
        {/* The results show the file with their submission. */}
        {step !== 'results' && (
          <span className={styles.fileName} title={file} data-testid="import-file">
            {file}
          </span>
        )}
        {step === 'check' && view.settled && (
          <Button size="compact-sm" variant="subtle" onClick={() => session.goToStep('columns')} data-testid="mapped-itself">
            {t('import.mappedItself')}
          </Button>
        )}
        {/* The button is never where the next step's button was, so that a double click doesn't close the file. */}
        {step !== 'results' && (
          <Tooltip label={t('import.leave')}>
            <ActionIcon variant="subtle" color="gray" size={28} aria-label={t('import.leave')} onClick={() => void session.closeFile()} data-testid="import-leave">
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      <div className={styles.headerActions}>
        {following && (
          <Button
            size="sm"
            variant={ready > 0 ? 'default' : 'filled'}
            onClick={() => session.goToStep(following)}
            disabled={!isReachable(following, session) || session.busy}
            data-testid="go-on"
          >
            {t(`import.goTo.${following}`)}
          </Button>
        )}
        {ready > 0 && <SendNow view={view} count={ready} />}
      </div>
    </header>
  );
}

/**
 * Enter goes to the next step and Escape to the previous one, unless the focused element uses the key. Enter never sends
 * anything.
 */
function useStepKeys(): void {
  const session = useImport();
  const { step, goToStep } = session;
  usePageKeys((event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || isHandledByFocus(event)) return;
    const at = steps.indexOf(step);
    const target = event.key === 'Enter' ? steps[at + 1] : event.key === 'Escape' ? steps[at - 1] : undefined;
    if (!target || !isReachable(target, session)) return;
    event.preventDefault();
    goToStep(target);
  });
}

/** Whether the focused element uses the key. */
function isHandledByFocus(event: KeyboardEvent): boolean {
  const at = event.target;
  if (!(at instanceof HTMLElement)) return false;
  // In the grid, Enter edits a cell and Escape cancels the edit.
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

/** Shows that another site is selected, and why the import can't move there. */
function OtherSiteNote({ view, otherSite }: { view: ImportView; otherSite: string }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const { destination } = view;
  if (!destination) return null;
  const { fixed } = destination;
  const [site, otherName] = [siteName(destination.site), siteName(otherSite)];
  return (
    <div className={styles.elsewhere} role="alert" data-testid="other-site">
      <span>
        {fixed?.kind === 'sample'
          ? t('import.otherSite.sample', { site, other: otherName })
          : fixed
            ? t('import.otherSite.rejected', { site, other: otherName })
            : t('import.otherSite.moving', { other: otherName })}
      </span>
      {fixed && (
        <Button size="xs" onClick={() => void commands.siteChoose(destination.site).catch(showProblemNotice)} data-testid="other-site-back">
          {t('import.otherSite.back', { site })}
        </Button>
      )}
    </div>
  );
}

/** The results of the import's plan, with a tab per step. */
function ResultsStep() {
  const { plan } = useImport();
  return plan === null ? null : <PlanResults id={plan} />;
}

function PlanResults({ id }: { id: number }) {
  const { t } = useTranslation();
  const { view, closeFile } = useImport();
  const { plan } = usePlan(id);
  const [chosen, setChosen] = useState<number | null>(null);
  if (!plan) return null;
  // Preselects the first step with rows that were neither accepted nor skipped.
  const incompleteStep = plan.submissions.find((one) => one.counts.accepted + one.counts.skipped !== one.total);
  const step = plan.submissions.find((one) => one.id === chosen) ?? incompleteStep ?? plan.submissions[0];
  if (!step) return null;
  return (
    <div className={planStyles.results}>
      <PlanTabs plan={plan} chosen={step.id} choose={setChosen} />
      <Results
        key={step.id}
        id={step.id}
        title={t('import.steps.results')}
        workbook={view?.id}
        leave={() => void closeFile()}
      />
    </div>
  );
}

/**
 * Shows that the file's draft was restored, or that a draft of an earlier version of the file exists. Offers alternatives for
 * both.
 */
function DraftNote({ view }: { view: ImportView }) {
  const { restored, earlier } = view.draft;
  if (restored) return <RestoredNote view={view} restored={restored} />;
  if (earlier) return <EarlierDraftNote view={view} earlier={earlier} />;
  return null;
}

function RestoredNote({ view, restored }: { view: ImportView; restored: NonNullable<ImportView['draft']['restored']> }) {
  const { t } = useTranslation();
  const { recentDateTime } = useFormats();
  const draftSummary = useDraftSummary();
  const { startOver, busy } = useImport();
  const [read, setRead] = useState<number | null>(null);
  if (read === view.id) return null;
  const summary = draftSummary(restored);
  const when = recentDateTime(restored.changed);
  return (
    <div className={styles.draft} role="status" data-testid="draft-back">
      <span>{summary ? t('draft.backWith', { when, what: summary }) : t('draft.back', { when })}</span>
      <Button size="compact-sm" variant="default" disabled={busy} onClick={() => void startOver()} data-testid="draft-start-over">
        {t('draft.startOver')}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={() => setRead(view.id)} data-testid="draft-read">
        {t('draft.hide')}
      </Button>
    </div>
  );
}

function EarlierDraftNote({ view, earlier }: { view: ImportView; earlier: NonNullable<ImportView['draft']['earlier']> }) {
  const { t } = useTranslation();
  const { recentDateTime } = useFormats();
  const draftSummary = useDraftSummary();
  const { apply, busy } = useImport();
  const [closedHash, setClosedHash] = useState<string | null>(null);
  if (closedHash === earlier.hash) return null;
  const summary = draftSummary(earlier);
  const discard = () => void commands.recentForget(earlier.hash).then(() => setClosedHash(earlier.hash)).catch(showProblemNotice);
  return (
    <div className={styles.draft} role="status" data-testid="draft-earlier">
      <span>
        {t('draft.changed', { file: view.file, when: recentDateTime(earlier.changed) })} {summary && t('draft.notTaken', { what: summary })}
      </span>
      <Button size="compact-sm" variant="default" disabled={busy} onClick={() => void apply(commands.importTakeColumns(view.id, earlier.hash))} data-testid="draft-columns">
        {t('draft.takeColumns')}
      </Button>
      <Button size="compact-sm" variant="subtle" disabled={busy} onClick={discard} data-testid="draft-forget">
        {t('draft.discardEarlier')}
      </Button>
    </div>
  );
}

/** Shows the state of the check against the site, with a button to repeat it. */
function SiteCheckLine({ view, siteCheck }: { view: ImportView; siteCheck: SiteCheck }) {
  const { t } = useTranslation();
  const site = useImportSite(view);
  const siteName = useSiteName();
  const { timeOfDay } = useFormats();
  const { setOpen } = useSignIn();
  const { sense } = view;
  if (!site || !sense.needed) return null;
  const name = siteName(site.site.name);
  const isChecked = sense.site === site.site.name && sense.at !== null;
  const signIn = !site.signedIn;
  return (
    <div className={styles.siteCheck} role="status" data-testid="against" data-state={siteCheck.busy ? 'busy' : isChecked ? 'known' : 'open'}>
      <span>
        {siteCheck.busy
          ? t('against.busy', { site: name })
          : isChecked
            ? t('against.known', { site: name, time: timeOfDay(sense.at ?? '') })
            : t('against.open', { site: name })}
      </span>
      {sense.problem && !siteCheck.busy && <span className={styles.siteProblem}>{problemTitle(sense.problem)}</span>}
      {signIn && (
        <Button size="compact-xs" variant="default" onClick={() => setOpen(true)} data-testid="against-sign-in">
          {t('person.signIn')}
        </Button>
      )}
      {!signIn && (
        <Button size="compact-xs" variant="subtle" disabled={siteCheck.busy} onClick={siteCheck.refresh} data-testid="against-again">
          <FixedWidthLabel label={t(isChecked ? 'against.again' : 'against.load')} other={t(isChecked ? 'against.load' : 'against.again')} />
        </Button>
      )}
      {isChecked && !siteCheck.busy && <UncheckedFields view={view} />}
    </div>
  );
}

/** Lists the fields that couldn't be checked against the site, with reasons. */
function UncheckedFields({ view }: { view: ImportView }) {
  const { t, i18n } = useTranslation();
  const { dateTime, number } = useFormats();
  const { unchecked } = view.sense;
  if (unchecked.length === 0) return null;
  return (
    <details data-testid="against-unchecked">
      <summary>{t('against.unchecked', { count: unchecked.length })}</summary>
      <ul className={styles.siteFields}>
        {unchecked.map((one) => (
          <li key={one.field}>
            {fieldName(view.fields, one.field, i18n.language)}: {uncheckedText(one, { dateTime, number })}
          </li>
        ))}
      </ul>
    </details>
  );
}

const NEXT_STEP: Partial<Record<Step, 'columns' | 'check' | 'preview' | 'send'>> = {
  file: 'columns',
  columns: 'check',
  check: 'preview',
  preview: 'send',
};

/** The current step of an open file, below the header. */
export function ImportSteps({ view }: { view: ImportView }) {
  const { i18n } = useTranslation();
  const session = useImport();
  const { step } = session;
  useStepKeys();
  useMoveWithSite(view);
  const otherSite = useOtherSite(view);
  // A sent plan is shown at any site. An unsent one can only be previewed and sent at its own site.
  const isElsewhere = otherSite !== null && (step === 'preview' || step === 'send') && session.plan === null;
  const siteCheck = useSiteCheck(view);
  usePlanRequest(view);
  const fillsWindow = step === 'check' || step === 'columns' || step === 'preview';
  return (
    <div className={styles.frame}>
      <ImportHeader view={view} />
      {session.plan === null && <DraftNote view={view} />}
      {(step === 'columns' || step === 'check') && <PlanBar view={view} />}
      <div className={styles.body}>
        {step === 'results' ? (
          <ResultsStep />
        ) : (
          <PageFrame
            filter={
              session.problem && (
                <div className={styles.problem}>
                  <ProblemNote problem={withFieldName(session.problem, view.fields, i18n.language)} />
                </div>
              )
            }
            isFullWidth={fillsWindow}
          >
            <div className={fillsWindow ? styles.column : styles.padded}>
              {step === 'file' && <FileStep view={view} />}
              {step === 'columns' && <ColumnsStep key={`${view.sheet}·${view.operation}·${view.headerRow}`} view={view} />}
              {otherSite !== null && (step === 'check' || isElsewhere) && <OtherSiteNote view={view} otherSite={otherSite} />}
              {step === 'check' && (
                <CheckStep key={view.sheet} view={view} siteCheck={otherSite === null && <SiteCheckLine view={view} siteCheck={siteCheck} />} />
              )}
              {step === 'preview' && !isElsewhere && <PreviewStep view={view} siteCheck={siteCheck} />}
              {step === 'send' && !isElsewhere && (
                <>
                  <div className={styles.checked}>
                    <SiteCheckLine view={view} siteCheck={siteCheck} />
                  </div>
                  <SendStep view={view} />
                </>
              )}
            </div>
          </PageFrame>
        )}
      </div>
    </div>
  );
}
