import { Button } from '@mantine/core';
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
import { type ImportView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { StepMark } from '../common/StepMark';
import { useImportSite } from '../common/importSite';
import { planCounts, sentSteps } from '../common/plan';
import { PreviewOutcome } from '../preview/PreviewOutcome';
import { usePreviewOutcome } from '../preview/usePreviewOutcome';
import { ErrorRowsChoice } from './ErrorRowsChoice';
import plan from '../common/plan.module.css';
import styles from './send.module.css';

/** Every step that will be sent, in its order, and where to. Rows in error are only left out when a person says so. */
export function PlanForm({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const operations = useOperations();
  const site = useImportSite(view);
  const siteName = useSiteName();
  const { sentPlan } = useImport();
  const { seen, open, stays } = usePreviewOutcome(view);
  const [leaveOut, setLeaveOut] = useState(false);
  const start = useMutation({
    mutationFn: (what: string) => guarded((confirmed) => commands.planStart(view.id, view.destination?.site ?? '', leaveOut, null, confirmed, seen), what),
    onSuccess: (made) => {
      storePlan(made);
      sentPlan(made.id);
    },
  });
  if (!site) return null;
  const { rows, ready, errorRows } = planCounts(view);
  const going = Math.max(0, ready - stays);
  const to = siteName(site.site.name);
  const blocked = errorRows > 0 && !leaveOut;
  const production = site.site.kind === 'production';
  const what = t('send.send', { count: going, site: to });
  const asked = leaveOut && errorRows > 0 ? t('send.sendWithout', { count: going, site: to, errors: number(errorRows) }) : what;
  return (
    <div className={styles.form}>
      {start.error && <ProblemNote problem={toProblem(start.error)} />}
      <dl className={styles.facts}>
        <dt>{t('send.to')}</dt>
        <dd>
          <SiteMark site={site.site} />
        </dd>
        <dt>{t('send.from')}</dt>
        <dd>{view.file}</dd>
        <dt>{t('plan.order')}</dt>
        <dd>
          <ol className={plan.list} data-testid="plan-order">
            {sentSteps(view).map((step) => (
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
        <dt>{t('send.rows')}</dt>
        <dd className="number">{t('send.readyRows', { ready: number(ready), rows: number(rows) })}</dd>
        <PreviewOutcome view={view} />
      </dl>
      <p className="muted small">{t('plan.waitHint')}</p>
      <ErrorRowsChoice errors={errorRows} chosen={leaveOut} choose={setLeaveOut} />
      <div className={styles.confirm}>
        <Button
          size="md"
          color={production ? 'red' : 'petrol'}
          disabled={blocked || open || going === 0 || start.isPending}
          onClick={() => start.mutate(asked)}
          data-testid="send"
        >
          {what}
        </Button>
        {blocked && <span className="muted">{t('send.decideFirst')}</span>}
        {!blocked && open && <span className="muted">{t('preview.decideFirst')}</span>}
        {going === 0 && <span className="muted">{t(ready === 0 ? 'send.nothing' : 'preview.nothing')}</span>}
      </div>
    </div>
  );
}
