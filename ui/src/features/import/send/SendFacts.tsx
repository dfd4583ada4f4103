import { useTranslation } from 'react-i18next';

import { useAppState, useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { SiteMark, siteLook } from '@/components/marks/SiteName';
import { useImport } from '@/features/import-session';
import type { ImportView, PlanStep, Site } from '@/ipc/bindings';
import { StepMark } from '../common/StepMark';
import { PreviewOutcome } from '../preview/PreviewOutcome';
import { UndoFacts } from './UndoFacts';
import plan from '../common/plan.module.css';
import styles from './send.module.css';

type Props = { view: ImportView; site: Site; steps: PlanStep[]; deletes: boolean; /** Nobody looked yet, and somebody has to. */ unseen: boolean };

/** What a person answers for: where to, who, what, how many, what would change and whether it can be undone. */
export function SendFacts({ view, site, steps, deletes, unseen }: Props) {
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
      {!unseen && <PreviewOutcome view={view} />}
      <UndoFacts view={view} deletes={deletes} />
    </dl>
  );
}
