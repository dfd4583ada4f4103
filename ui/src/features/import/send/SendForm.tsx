import { Button, NumberInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { guarded } from '@/base/guard';
import { operationName, useFormats } from '@/base/useFormats';
import { SiteMark, useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { useImport } from '@/features/import-session';
import { storePlan } from '@/features/submission';
import { type ImportView, type Operation, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { StepMark } from '../common/StepMark';
import { useImportSite } from '../common/importSite';
import { sentSteps } from '../common/plan';
import { PreviewOutcome } from '../preview/PreviewOutcome';
import { usePreviewOutcome } from '../preview/usePreviewOutcome';
import { ErrorRowsChoice } from './ErrorRowsChoice';
import { LinksDialog } from './LinksDialog';
import plan from '../common/plan.module.css';
import styles from './send.module.css';

/** Rows of a trial run, and of one by which it is first seen what the service answers. */
const trialRows = 10;
const firstTrialRows = 1;

/** Every step that will be sent, in its order, and where to. Rows in error are only left out when a person says so. */
export function SendForm({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const operations = useOperations();
  const site = useImportSite(view);
  const siteName = useSiteName();
  const { sent, follows } = useImport();
  const { choiceMade: seen, open, stays } = usePreviewOutcome(view);
  const [skipErrors, setSkipErrors] = useState(false);
  const [size, setSize] = useState<number | null>(null);
  const [asking, setAsking] = useState(false);
  const start = useMutation({
    mutationFn: ({ what, trial = null }: { what: string; trial?: number | null }) =>
      guarded((confirmed) => {
        // The engine refuses where this isn't the site that the rows were checked and previewed for.
        const there = view.destination?.site ?? '';
        if (follows?.relation === 'retry') return commands.submissionRetry(follows.submission, view.id, there, skipErrors, confirmed, seen);
        const how = { trial, like: follows?.submission ?? null, batchSize: size };
        return commands.submissionStart(view.id, there, skipErrors, confirmed, seen, how);
      }, what),
    onSuccess: (made) => {
      storePlan(made);
      sent(made.id);
    },
  });
  if (!site) return null;
  const { totals } = view;
  const steps = sentSteps(view);
  const sending = steps.map((step) => operations.find((one) => one.id === step.operation));
  const deletes = sending.some((operation) => operation?.kind === 'delete');
  const unreadable = sending.some((operation) => operation?.kind === 'sync' && !operation.readBack);
  const untried = sending.some((operation) => operation?.untried);
  const trial = untried ? firstTrialRows : trialRows;
  const usual = common(sending.map((operation) => usualSize(operation, site.site.batchSize)));
  const to = siteName(site.site.name);
  const blocked = totals.errorRows > 0 && !skipErrors;
  const rows = Math.max(0, totals.readyRows - stays);
  const canTry = rows > trial && !deletes && !follows;
  const advised = untried && canTry ? 'trial' : 'all';
  const what = deletes ? t('links.delete', { count: rows }) : t('send.send', { count: rows, site: to });
  const confirmation =
    !deletes && skipErrors && totals.errorRows > 0
      ? t('send.sendWithout', { count: rows, site: to, errors: number(totals.errorRows) })
      : what;
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
          close={() => setAsking(false)}
        />
      )}
      {start.error && <ProblemNote problem={toProblem(start.error)} />}
      <dl className={styles.facts}>
        <dt>{t('send.to')}</dt>
        <dd>
          <SiteMark site={site.site} />
        </dd>
        <dt>{t('send.what')}</dt>
        <dd>
          <ol className={plan.list} data-testid="plan-order">
            {steps.map((step) => (
              <li key={step.sheet}>
                <b>{operationName(operations, step.operation, name)}</b>
                <span>
                  {[step.sheet, ...view.steps.filter((part) => part.part?.of === step.sheet).map((part) => part.sheet)].join(' + ')}
                </span>
                <StepMark step={step} />
              </li>
            ))}
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
        <dt id="batch-size">{t('send.batchSize')}</dt>
        <dd className={styles.size}>
          <NumberInput
            aria-labelledby="batch-size"
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
            {unreadable && (size ?? usual) !== null ? t('send.unreadableHint', { count: size ?? usual ?? 1 }) : t('send.batchHint')}
          </span>
        </dd>
        <PreviewOutcome view={view} />
      </dl>
      {untried && <p data-testid="send-untried">{t('send.untried')}</p>}
      {steps.some((step) => step.waitsFor.length > 0) && <p className="muted small">{t('plan.waitHint')}</p>}
      <ErrorRowsChoice errors={totals.errorRows} chosen={skipErrors} choose={setSkipErrors} />
      <div className={styles.confirm}>
        <Button
          size="md"
          variant={advised === 'all' ? 'filled' : 'default'}
          color={deletes || site.site.kind === 'production' ? 'red' : 'petrol'}
          disabled={blocked || open || rows === 0 || start.isPending}
          onClick={() => (deletes ? setAsking(true) : start.mutate({ what: confirmation }))}
          data-testid="send"
        >
          {what}
        </Button>
        {canTry && (
          <Button
            size="md"
            variant={advised === 'trial' ? 'filled' : 'default'}
            disabled={blocked || open || start.isPending}
            onClick={() => start.mutate({ what: t('decide.try', { count: trial }), trial })}
            data-testid="send-trial"
          >
            {t('decide.try', { count: trial })}
          </Button>
        )}
        {blocked && <span className="muted">{t('send.decideFirst')}</span>}
        {!blocked && open && <span className="muted">{t('preview.decideFirst')}</span>}
        {rows === 0 && <span className="muted">{t(totals.readyRows === 0 ? 'send.nothing' : 'preview.nothing')}</span>}
      </div>
    </div>
  );
}

/** Items per request where nobody says otherwise. What can't be read back goes in no larger requests than the contract says. */
function usualSize(operation: Operation | undefined, ofSite: number | null): number {
  const unreadable = operation?.kind === 'sync' && !operation.readBack;
  return Math.min(ofSite ?? operation?.batchSize ?? 100, unreadable ? operation.batchSize : Infinity);
}

/** What all of them are; nothing where they differ. */
function common(sizes: number[]): number | null {
  const [first] = sizes;
  return first !== undefined && sizes.every((size) => size === first) ? first : null;
}
