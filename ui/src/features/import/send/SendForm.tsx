import { Button, NumberInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState, useOperations } from '@/base/appState';
import { runGuarded } from '@/base/guard';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { KindSign, PREVIEW_KINDS } from '@/components/marks/KindMark';
import { SiteMark, siteLook, useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { isClaimed, StartProblem } from '@/components/notices/StartProblem';
import { useImport } from '@/features/import-session';
import { DeleteConfirmation, storePlan } from '@/features/submission';
import { AffectedOrders } from '@/features/templates';
import { type ImportView, type Operation, type PlanStep, type PreviewChoice, type Site, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

import { StepMark } from '../common/StepMark';
import { useImportSite } from '../common/importSite';
import { sentSteps } from '../common/plan';
import { useRowCountLabel } from '../common/useRowCountLabel';
import { forecastUndo, isUndecided, skippedCount } from '../preview/previewKinds';
import { useCurrentPreview } from '../preview/usePreview';
import plan from '../common/plan.module.css';
import previewStyles from '../preview/preview.module.css';
import styles from './send.module.css';

type AdvancedProps = {
  size: number | null;
  usual: number | null;
  setSize: (size: number | null) => void;
};

/** Sets the number of entries per request, which rarely needs a change. */
function Advanced({ size, usual, setSize }: AdvancedProps) {
  const { t } = useTranslation();
  return (
    <details className={styles.advanced} data-testid="send-advanced">
      <summary>{t('send.advanced')}</summary>
      <div className={styles.size}>
        <label htmlFor="batch-size">{t('send.batchSize')}</label>
        <NumberInput
          id="batch-size"
          value={size ?? usual ?? ''}
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
  const { goStep } = useImport();
  if (errors === 0) return null;
  return (
    <div className={styles.errors} data-testid="errors-stay">
      <span>{t('send.errorsStay', { count: errors })}</span>
      <Button variant="subtle" size="xs" onClick={() => goStep('check')} data-testid="look-at-errors">
        {t('send.lookAtErrors')}
      </Button>
    </div>
  );
}

/** Says how many rows have warnings, with a link to them. The check against the site may find them after the preview. */
function WarningRowsNote({ warnings }: { warnings: number }) {
  const { t } = useTranslation();
  const { goStep } = useImport();
  if (warnings === 0) return null;
  return (
    <p data-testid="warnings-go">
      {t('send.warningsGo', { count: warnings })}{' '}
      <Button variant="subtle" size="xs" onClick={() => goStep('check')} data-testid="look-at-warnings">
        {t('send.lookAtWarnings')}
      </Button>
    </p>
  );
}

/** Returns the default number of entries per request. If entries can't be read back, the contract's size is the maximum. */
function defaultSize(operation: Operation | undefined, ofSite: number | null): number {
  const unreadable = operation?.kind === 'sync' && !operation.readBack;
  return Math.min(ofSite ?? operation?.batchSize ?? 100, unreadable ? operation.batchSize : Infinity);
}

/** Returns the size if all sizes are equal, or else null. */
function commonSize(sizes: number[]): number | null {
  const [first] = sizes;
  return first !== undefined && sizes.every((size) => size === first) ? first : null;
}

/**
 * Returns how the preview affects sending: the choice for the engine, whether a decision is missing, and the number of rows that
 * won't be sent.
 */
function usePreviewOutcome(view: ImportView): { choiceMade: PreviewChoice | null; open: boolean; stays: number } {
  const { choice } = useImport();
  const preview = useCurrentPreview(view);
  if (!preview) return { choiceMade: null, open: false, stays: 0 };
  return { choiceMade: choice, open: isUndecided(preview, choice), stays: skippedCount(preview, choice) };
}

type LinksDialogProps = {
  view: ImportView;
  seen: PreviewChoice | null;
  rows: number;
  busy: boolean;
  error: unknown;
  confirm: () => void;
  skipClaimed: () => void;
  close: () => void;
};

/** Confirms deleting the links of a file. Shows the number of links and templates, and the affected orders. */
export function LinksDialog({ view, seen, rows, busy, error, confirm, skipClaimed, close }: LinksDialogProps) {
  const { t } = useTranslation();
  const site = view.destination?.site ?? '';
  const linksQuery = useQuery({
    // A check that ends while the dialog is open can change the rows to send.
    queryKey: queryKeys.importLinks(site, view.id, seen, view.totals),
    queryFn: () => commands.linksOfImport(view.id, seen),
    gcTime: 0,
    retry: false,
  });
  const templates = linksQuery.data?.templates;
  return (
    <DeleteConfirmation
      count={linksQuery.data?.links ?? rows}
      what={templates ? t('links.confirmWhat', { count: templates.length }) : t('send.deleteWhat')}
      busy={busy}
      error={error}
      confirm={confirm}
      skipClaimed={skipClaimed}
      close={close}
    >
      {linksQuery.error && <ProblemNote problem={toProblem(linksQuery.error)} quiet />}
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
  const { goStep, choice } = useImport();
  const preview = useCurrentPreview(view);
  const look = (
    <Button variant="subtle" size="compact-sm" onClick={() => goStep('preview')} data-testid="look-at-preview">
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
        {look}
      </dd>
    </>
  );
}

type SendFactsProps = { view: ImportView; site: Site; steps: PlanStep[]; deletes: boolean; /** Whether the required preview is missing. */ unseen: boolean };

/** The facts before sending: site, user, operation, number of rows, changes, and undo. */
function SendFacts({ view, site, steps, deletes, unseen }: SendFactsProps) {
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
        <SiteMark site={site} /> {site.name !== 'practice' && <span className="muted">{t(`site.${siteLook(site)}`)}</span>}
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
            return (
              <li key={step.sheet}>
                <b>{operation}</b>
                {sheets !== operation && <span>{sheets}</span>}
                <StepMark step={step} />
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
      {!unseen && <PreviewOutcome view={view} />}
      <UndoFacts view={view} deletes={deletes} />
    </dl>
  );
}

/** Number of rows of a trial run. */
const TRIAL_ROWS = 10;
/** Number of rows of a trial run if the format of the response is unknown. */
const FIRST_TRIAL_ROWS = 1;

/** A request to send. `what` is the button's label, and `trial` the number of rows of a trial run, null to send all rows. */
type Sending = { what: string; trial?: number | null; skipClaimed?: boolean };

/** The form that starts sending. Its button shows the number of rows excluded by errors. A production site requires a preview. */
export function SendForm({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const operations = useOperations();
  const site = useImportSite(view);
  const siteName = useSiteName();
  const rowCountLabel = useRowCountLabel(view);
  const { markSent, follows, goStep } = useImport();
  const preview = useCurrentPreview(view);
  const { choiceMade: seen, open, stays } = usePreviewOutcome(view);
  const [size, setSize] = useState<number | null>(null);
  const [asking, setAsking] = useState(false);
  const { totals } = view;
  const skipErrors = totals.errorRows > 0;
  const start = useMutation({
    mutationFn: ({ what, trial = null, skipClaimed = false }: Sending) =>
      runGuarded((confirmed) => {
        // The engine refuses to send to a site other than this one, for which the rows were checked.
        const there = view.destination?.site ?? '';
        const skip = { errors: skipErrors, claimed: skipClaimed };
        const how = { trial, follows, batchSize: size };
        return commands.submissionStart(view.id, there, skip, confirmed, seen, how);
      }, what),
    onSuccess: (made) => {
      storePlan(made);
      markSent(made.id);
    },
    onError: (cause) => {
      if (isClaimed(toProblem(cause))) setAsking(false);
    },
  });
  const skipClaimed = () => start.variables && start.mutate({ ...start.variables, skipClaimed: true });
  if (!site) return null;
  const steps = sentSteps(view);
  const sending = steps.map((step) => operations.find((one) => one.id === step.operation));
  const deletes = sending.some((operation) => operation?.kind === 'delete');
  const unreadable = sending.some((operation) => operation?.kind === 'sync' && !operation.readBack);
  const untried = sending.some((operation) => operation?.untried);
  const production = siteLook(site.site) === 'production';
  const unseen = production && !preview && totals.readyRows > 0;
  const trial = untried ? FIRST_TRIAL_ROWS : TRIAL_ROWS;
  const usual = commonSize(sending.map((operation) => defaultSize(operation, site.site.batchSize)));
  const to = siteName(site.site.name);
  const rows = Math.max(0, totals.readyRows - stays);
  const canTry = rows > trial && !deletes && !follows;
  const advised = untried && canTry ? 'trial' : 'all';
  const named = { things: rowCountLabel(rows), site: to };
  const sends = skipErrors ? t('send.sendWithout', { ...named, errors: number(totals.errorRows) }) : t('send.send', named);
  const what = deletes ? t('links.delete', { count: rows }) : sends;
  return (
    <div className={styles.form}>
      {asking && (
        <LinksDialog
          view={view}
          seen={seen}
          rows={rows}
          busy={start.isPending}
          error={start.error}
          confirm={() => start.mutate({ what: t('links.confirmTitle', { count: rows, site: to }) })}
          skipClaimed={skipClaimed}
          close={() => setAsking(false)}
        />
      )}
      <StartProblem
        problem={start.error && toProblem(start.error)}
        busy={start.isPending}
        again={() => start.variables && start.mutate(start.variables)}
        skip={skipClaimed}
      />
      <SendFacts view={view} site={site.site} steps={steps} deletes={deletes} unseen={unseen} />
      {untried && <p data-testid="send-untried">{t('send.untried')}</p>}
      {unreadable && (size ?? usual) !== null && (
        <p className="muted small" data-testid="send-unreadable">
          {t('send.unreadableHint', { count: size ?? usual ?? 1 })}
        </p>
      )}
      {steps.some((step) => step.waitsFor.length > 0) && <p className="muted small">{t('plan.waitHint')}</p>}
      {unseen ? (
        <>
          <p data-testid="preview-required">{t('preview.required', { site: to })}</p>
          <div className={styles.confirm}>
            <Button size="md" onClick={() => goStep('preview')} data-testid="preview-first">
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
              variant={advised === 'all' ? 'filled' : 'default'}
              color={deletes || production ? 'red' : 'petrol'}
              disabled={open || rows === 0 || start.isPending}
              onClick={() => (deletes ? setAsking(true) : start.mutate({ what }))}
              data-testid="send"
            >
              {what}
            </Button>
            {canTry && (
              <Button
                size="md"
                variant={advised === 'trial' ? 'filled' : 'subtle'}
                disabled={open || start.isPending}
                onClick={() => start.mutate({ what: t('decide.try', { count: trial }), trial })}
                data-testid="send-trial"
              >
                {t('decide.try', { count: trial })}
              </Button>
            )}
          </div>
          <p className={styles.hint} role="status">
            {open && t('preview.decideFirst')}
            {!open && rows === 0 && t(totals.readyRows === 0 ? 'send.nothing' : deletes ? 'preview.nothingToDelete' : 'preview.nothing')}
          </p>
          <Advanced size={size} usual={usual} setSize={setSize} />
        </>
      )}
    </div>
  );
}
