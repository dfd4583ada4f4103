import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useAppState, useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { KindSign, PREVIEW_KINDS } from '@/components/marks/KindMark';
import { siteLook, SiteMark } from '@/components/marks/SiteName';
import { useImport } from '@/features/import-session';
import type { ImportView, PlanStep, Site } from '@/ipc/bindings';

import { StepMark } from '../common/StepMark';
import plan from '../common/plan.module.css';
import previewStyles from '../preview/preview.module.css';
import styles from './send.module.css';
import { useRowCountLabel } from '../common/useRowCountLabel';
import { useCurrentPreview } from '../preview/usePreview';

/** Tells whether the submission can be undone and which parts can't. Shown after the preview. */
function UndoFacts({ view, deletes }: { view: ImportView; deletes: boolean }) {
  const { t } = useTranslation();
  const rowCountLabel = useRowCountLabel(view);
  const preview = useCurrentPreview(view);
  if (!deletes && !preview) return null;
  const { changed, conflict, new: created, unknown } = preview?.counts ?? { changed: 0, conflict: 0, new: 0, unknown: 0 };
  const undoableCount = changed + conflict;
  const unread = preview?.steps.some((step) => step.list !== null && step.counts.unknown > 0) ?? false;
  return (
    <>
      <dt>{t('send.undo')}</dt>
      <dd className={styles.lines} data-testid="send-undo">
        {deletes && <span>{t('send.noUndo')}</span>}
        {!deletes && undoableCount > 0 && <span>{t('preview.undoable', { things: rowCountLabel(undoableCount) })}</span>}
        {!deletes && created > 0 && <span>{t('preview.stays', { things: rowCountLabel(created) })}</span>}
        {!deletes && unknown > 0 && <span>{t(unread ? 'preview.notUndoableUnread' : 'preview.notUndoable')}</span>}
      </dd>
    </>
  );
}

/** Summarizes the preview, or tells that there is none. */
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

type Props = { view: ImportView; site: Site; steps: PlanStep[]; deletes: boolean; /** Whether the required preview is missing. */ unseen: boolean };

/** The facts before sending: site, user, operation, number of rows, changes, and undo. */
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
