import { Button, NumberInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState, useOperations } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { KindSign, PREVIEW_KINDS } from '@/components/marks/KindMark';
import { SiteMark, displayedSiteKind, useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { StartProblem } from '@/components/notices/StartProblem';
import { useImport } from '@/features/import-session';
import { DeleteConfirmation } from '@/features/submission';
import { AffectedOrders } from '@/features/templates';
import { type ImportView, type Operation, type PlanStep, type PreviewChoice, type Site, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

import { StepMark } from '../common/StepMark';
import { useImportSite } from '../common/importSite';
import { sentSteps } from '../common/plan';
import { useRowCountLabel } from '../common/useRowCountLabel';
import { forecastUndo } from '../preview/previewKinds';
import { useCurrentPreview } from '../preview/usePreview';
import { usePreviewOutcome, useSubmissionStart } from './useSubmissionStart';
import plan from '../common/plan.module.css';
import previewStyles from '../preview/preview.module.css';
import styles from './send.module.css';

type AdvancedOptionsProps = {
  size: number | null;
  defaultSize: number | null;
  setSize: (size: number | null) => void;
};

/** Sets the number of entries per request, which rarely needs a change. */
function AdvancedOptions({ size, defaultSize, setSize }: AdvancedOptionsProps) {
  const { t } = useTranslation();
  return (
    <details className={styles.advanced} data-testid="send-advanced">
      <summary>{t('send.advanced')}</summary>
      <div className={styles.size}>
        <label htmlFor="batch-size">{t('send.batchSize')}</label>
        <NumberInput
          id="batch-size"
          value={size ?? defaultSize ?? ''}
          onChange={(value) => setSize(typeof value === 'number' && value >= 1 ? value : null)}
          min={1}
          max={10_000}
          allowDecimal={false}
          w={96}
          size="xs"
          data-testid="batch-size"
        />
        <span className="muted small" data-testid="batch-hint">
          {t('send.batchHint')}
        </span>
      </div>
    </details>
  );
}

/** Shows that rows with errors are excluded, with a link to them. The send button also shows their number. */
function ErrorRowsNote({ errors }: { errors: number }) {
  const { t } = useTranslation();
  const { goToStep } = useImport();
  if (errors === 0) return null;
  return (
    <div className={styles.errors} data-testid="errors-stay">
      <span>{t('send.errorsStay', { count: errors })}</span>
      <Button variant="subtle" size="xs" onClick={() => goToStep('check')} data-testid="look-at-errors">
        {t('send.lookAtErrors')}
      </Button>
    </div>
  );
}

/** Shows the number of rows with warnings, and a link to them. The check against the site may find them after the preview. */
function WarningRowsNote({ warnings }: { warnings: number }) {
  const { t } = useTranslation();
  const { goToStep } = useImport();
  if (warnings === 0) return null;
  return (
    <p data-testid="warnings-go">
      {t('send.warningsGo', { count: warnings })}{' '}
      <Button variant="subtle" size="xs" onClick={() => goToStep('check')} data-testid="look-at-warnings">
        {t('send.lookAtWarnings')}
      </Button>
    </p>
  );
}

/** Returns the default number of entries per request. If entries can't be read back, the contract's size is the maximum. */
function defaultBatchSize(operation: Operation | undefined, siteSize: number | null): number {
  const unreadable = operation?.kind === 'sync' && !operation.readBack;
  return Math.min(siteSize ?? operation?.batchSize ?? 100, unreadable ? operation.batchSize : Infinity);
}

/** Returns the size if all sizes are equal, or else null. */
function commonSize(sizes: number[]): number | null {
  const [first] = sizes;
  return first !== undefined && sizes.every((size) => size === first) ? first : null;
}

type LinksDialogProps = {
  view: ImportView;
  previewChoice: PreviewChoice | null;
  rows: number;
  busy: boolean;
  error: unknown;
  confirm: () => void;
  skipClaimed: () => void;
  close: () => void;
};

/** Confirms deleting the links of a file. Shows the number of links and templates, and the affected orders. */
export function LinksDialog({ view, previewChoice, rows, busy, error, confirm, skipClaimed, close }: LinksDialogProps) {
  const { t } = useTranslation();
  const site = view.destination?.site ?? '';
  const linksQuery = useQuery({
    // A check that ends while the dialog is open can change the rows to send.
    queryKey: queryKeys.importLinks(site, view.id, previewChoice, view.totals),
    queryFn: () => commands.linksOfImport(view.id, previewChoice),
    gcTime: 0,
    retry: false,
  });
  const templates = linksQuery.data?.templates;
  return (
    <DeleteConfirmation
      count={linksQuery.data?.links ?? rows}
      description={templates ? t('links.confirmWhat', { count: templates.length }) : t('send.deleteWhat')}
      busy={busy}
      error={error}
      confirm={confirm}
      skipClaimed={skipClaimed}
      close={close}
    >
      {linksQuery.error && <ProblemNote problem={toProblem(linksQuery.error)} isSubtle />}
      {templates && <AffectedOrders templates={templates} />}
    </DeleteConfirmation>
  );
}

/** Shows which parts of the submission can be undone and which can't. Hidden until there is a preview, except for deletions. */
function UndoFacts({ view, deletes }: { view: ImportView; deletes: boolean }) {
  const { t } = useTranslation();
  const rowCountLabel = useRowCountLabel(view);
  const preview = useCurrentPreview(view);
  const { choice } = useImport();
  if (!deletes && !preview) return null;
  const { new: created, unknown } = preview?.counts ?? { new: 0, unknown: 0 };
  const { undoable, permanent } = forecastUndo(preview?.steps ?? [], choice);
  const unread = preview?.steps.some((step) => step.list !== null && step.counts.unknown > 0) ?? false;
  return (
    <>
      <dt>{t('send.undo')}</dt>
      <dd className={styles.lines} data-testid="send-undo">
        {deletes && <span>{t('send.noUndo')}</span>}
        {!deletes && undoable > 0 && <span>{t('preview.undoable', { things: rowCountLabel(undoable) })}</span>}
        {!deletes && permanent > 0 && <span>{t('preview.permanent', { things: rowCountLabel(permanent) })}</span>}
        {!deletes && created > 0 && <span>{t('preview.stays', { things: rowCountLabel(created) })}</span>}
        {!deletes && unknown > 0 && <span>{t(unread ? 'preview.notUndoableUnread' : 'preview.notUndoable')}</span>}
      </dd>
    </>
  );
}

/** Summarizes the preview, or shows that there is none. */
function PreviewOutcome({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { goToStep, choice } = useImport();
  const preview = useCurrentPreview(view);
  const previewButton = (
    <Button variant="subtle" size="compact-sm" onClick={() => goToStep('preview')} data-testid="look-at-preview">
      {t(preview ? 'preview.lookAgain' : 'preview.look')}
    </Button>
  );
  const deletes = preview?.steps.every((step) => step.deletes) ?? false;
  const shownKinds = preview ? PREVIEW_KINDS.filter((kind) => preview.counts[kind] > 0) : [];
  return (
    <>
      <dt>{t('import.steps.preview')}</dt>
      <dd className={previewStyles.seen} data-testid="seen">
        {shownKinds.map((kind) => (
          <span key={kind} className={previewStyles.mark}>
            <KindSign kind={kind} deletes={deletes} />
            <span>
              {t(deletes && kind === 'changed' ? 'preview.kinds.deleted' : `preview.kinds.${kind}`)} <b className="number">{number(preview?.counts[kind] ?? 0)}</b>
            </span>
          </span>
        ))}
        {!preview && <span className="muted">{t('preview.unseen')}</span>}
        {preview && preview.counts.same > 0 && !choice.sendSame && <span className="muted">{t('preview.sameStays')}</span>}
        {preview && preview.counts.notLinked > 0 && !choice.sendSame && <span className="muted">{t('preview.notLinkedStays')}</span>}
        {preview?.steps.some((step) => step.deletes && step.counts.unknown > 0) && !choice.sendUnchecked && (
          <span className="muted">{t('preview.uncheckedStays')}</span>
        )}
        {previewButton}
      </dd>
    </>
  );
}

type SendFactsProps = { view: ImportView; site: Site; steps: PlanStep[]; deletes: boolean; /** Whether the required preview is missing. */ isPreviewMissing: boolean };

/** The facts before sending: site, user, operation, number of rows, changes, and undo. */
function SendFacts({ view, site, steps, deletes, isPreviewMissing }: SendFactsProps) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const operations = useOperations();
  const { data: app } = useAppState();
  const { follows } = useImport();
  const { totals } = view;
  return (
    <dl className={styles.facts}>
      <dt>{t('send.to')}</dt>
      <dd>
        <SiteMark site={site} /> {site.name !== 'practice' && <span className="muted">{t(`site.${displayedSiteKind(site)}`)}</span>}
      </dd>
      {app?.person && (
        <>
          <dt>{t('send.by')}</dt>
          <dd>{app.person}</dd>
        </>
      )}
      <dt>{t('send.what')}</dt>
      <dd>
        <ol className={plan.list} data-testid="plan-order">
          {steps.map((step) => {
            const operation = operationName(operations, step.operation, name);
            const sheets = [step.sheet, ...view.steps.filter((part) => part.part?.of === step.sheet).map((part) => part.sheet)].join(' + ');
            // One sheet's rows and errors are in the lines below.
            const isOnly = view.sheets.length === 1;
            return (
              <li key={step.sheet}>
                <b>{operation}</b>
                {!isOnly && sheets !== operation && <span>{sheets}</span>}
                {!isOnly && <StepMark step={step} />}
              </li>
            );
          })}
        </ol>
      </dd>
      <dt>{t('send.from')}</dt>
      <dd>
        {view.file}
        {follows && ` · ${t(follows.relation === 'retry' ? 'decide.retries' : 'decide.likes', { id: follows.submission })}`}
      </dd>
      <dt>{t('send.rows')}</dt>
      <dd className="number">
        {t('send.readyRows', { ready: number(totals.readyRows), rows: number(view.rejectedRows || totals.rows) })}
        {totals.excluded > 0 && view.rejectedRows === 0 && ` · ${t('send.excluded', { count: totals.excluded })}`}
        {totals.items !== totals.rows - totals.excluded && ` · ${t('send.items', { count: totals.items })}`}
      </dd>
      {!isPreviewMissing && <PreviewOutcome view={view} />}
      <UndoFacts view={view} deletes={deletes} />
    </dl>
  );
}

/** Number of rows of a trial run. */
const TRIAL_ROWS = 10;
/** Number of rows of a trial run if the format of the response is unknown. */
const FIRST_TRIAL_ROWS = 1;

/** The form that starts sending. Its button shows the number of rows excluded by errors. A production site requires a preview. */
export function SendForm({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const operations = useOperations();
  const site = useImportSite(view);
  const siteName = useSiteName();
  const rowCountLabel = useRowCountLabel(view);
  const { follows, goToStep } = useImport();
  const preview = useCurrentPreview(view);
  const { choiceMade: previewChoice, isDecisionMissing, skippedRows } = usePreviewOutcome(view);
  const [size, setSize] = useState<number | null>(null);
  const [isConfirming, setConfirming] = useState(false);
  const { totals } = view;
  const skipErrors = totals.errorRows > 0;
  const { start, isStarting, error, retry, skipClaimed } = useSubmissionStart(view, { batchSize: size, onClaimed: () => setConfirming(false) });
  if (!site) return null;
  const steps = sentSteps(view);
  const operationsToSend = steps.map((step) => operations.find((one) => one.id === step.operation));
  const deletes = operationsToSend.some((operation) => operation?.kind === 'delete');
  const unreadable = operationsToSend.some((operation) => operation?.kind === 'sync' && !operation.readBack);
  const untried = operationsToSend.some((operation) => operation?.untried);
  const production = displayedSiteKind(site.site) === 'production';
  const isPreviewMissing = production && !preview && totals.readyRows > 0;
  const trial = untried ? FIRST_TRIAL_ROWS : TRIAL_ROWS;
  const sizeByDefault = commonSize(operationsToSend.map((operation) => defaultBatchSize(operation, site.site.batchSize)));
  const to = siteName(site.site.name);
  const rows = Math.max(0, totals.readyRows - skippedRows);
  const canTry = rows > trial && !deletes && !follows;
  const recommended = untried && canTry ? 'trial' : 'all';
  const labelValues = { things: rowCountLabel(rows), site: to };
  const sendLabel = skipErrors ? t('send.sendWithout', { ...labelValues, errors: number(totals.errorRows) }) : t('send.send', labelValues);
  const buttonLabel = deletes ? t('links.delete', { count: rows }) : sendLabel;
  return (
    <div className={styles.form}>
      {isConfirming && (
        <LinksDialog
          view={view}
          previewChoice={previewChoice}
          rows={rows}
          busy={isStarting}
          error={error}
          confirm={() => start({ label: t('links.confirmTitle', { count: rows, site: to }) })}
          skipClaimed={skipClaimed}
          close={() => setConfirming(false)}
        />
      )}
      <StartProblem
        problem={error && toProblem(error)}
        busy={isStarting}
        retry={retry}
        skipClaimed={skipClaimed}
      />
      <SendFacts view={view} site={site.site} steps={steps} deletes={deletes} isPreviewMissing={isPreviewMissing} />
      {untried && <p data-testid="send-untried">{t('send.untried')}</p>}
      {unreadable && (size ?? sizeByDefault) !== null && (
        <p className="muted small" data-testid="send-unreadable">
          {t('send.unreadableHint', { count: size ?? sizeByDefault ?? 1 })}
        </p>
      )}
      {steps.some((step) => step.waitsFor.length > 0) && <p className="muted small">{t('plan.waitHint')}</p>}
      {isPreviewMissing ? (
        <>
          <p data-testid="preview-required">{t('preview.required', { site: to })}</p>
          <div className={styles.confirm}>
            <Button size="md" onClick={() => goToStep('preview')} data-testid="preview-first">
              {t('preview.look')}
            </Button>
          </div>
        </>
      ) : (
        <>
          <ErrorRowsNote errors={totals.errorRows} />
          <WarningRowsNote warnings={totals.warningRows} />
          <div className={styles.confirm}>
            <Button
              size="md"
              variant={recommended === 'all' ? 'filled' : 'default'}
              color={deletes || production ? 'red' : 'petrol'}
              disabled={isDecisionMissing || rows === 0 || isStarting}
              onClick={() => (deletes ? setConfirming(true) : start({ label: buttonLabel }))}
              data-testid="send"
            >
              {buttonLabel}
            </Button>
            {canTry && (
              <Button
                size="md"
                variant={recommended === 'trial' ? 'filled' : 'subtle'}
                disabled={isDecisionMissing || isStarting}
                onClick={() => start({ label: t('decide.try', { count: trial }), trial })}
                data-testid="send-trial"
              >
                {t('decide.try', { count: trial })}
              </Button>
            )}
          </div>
          <p className={styles.hint} role="status">
            {isDecisionMissing && t('preview.decideFirst')}
            {!isDecisionMissing && rows === 0 && t(totals.readyRows === 0 ? 'send.nothing' : deletes ? 'preview.nothingToDelete' : 'preview.nothing')}
          </p>
          <AdvancedOptions size={size} defaultSize={sizeByDefault} setSize={setSize} />
        </>
      )}
    </div>
  );
}
