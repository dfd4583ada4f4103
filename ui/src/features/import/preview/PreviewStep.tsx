import { Button, Checkbox, Progress, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { alarmText } from '@/base/engineTexts';
import { useDelayed } from '@/base/useDelayed';
import { useFormats } from '@/base/useFormats';
import { SearchInput } from '@/components/controls/SearchInput';
import { useSiteName } from '@/components/marks/SiteName';
import { SeveritySign } from '@/components/marks/StatusMarks';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { StepTabs } from '@/components/page/StepTabs';
import { useImport } from '@/features/import-session';
import { SignInPanel } from '@/features/sign-in';
import type {
  ConflictChoice,
  ImportView,
  PreviewCounts,
  PreviewField,
  PreviewFilter,
  PreviewKind,
  PreviewRow,
  PreviewView,
  PreviewStep as Step,
} from '@/ipc/bindings';
import { KindMark, KindSign, PREVIEW_KINDS } from '@/components/marks/KindMark';
import { DetailPanel } from '@/components/page/DetailPanel';

import { fieldName } from '../common/fieldNames';
import { useImportSite } from '../common/importSite';
import { useRowCountLabel } from '../common/useRowCountLabel';
import type { SiteCheck } from '../common/useSiteCheck';
import { PreviewGrid } from './PreviewGrid';
import { forecastUndo, uncheckedDeletes, visibleKinds } from './previewKinds';
import { type PreviewRun, useCurrentPreview, usePreviewRun } from './usePreview';
import countsStyles from '../common/counts.module.css';
import styles from './preview.module.css';
import tabsStyles from '@/components/page/tabs.module.css';
import { ErrorTexts } from './ErrorTexts';
import { toDeletedField, useFieldName, FieldValues } from './FieldChange';

/** All changes of one row. */
function PreviewDetail({ view, row, deletes, close }: { view: ImportView; row: PreviewRow; deletes: boolean; close: () => void }) {
  const { t } = useTranslation();
  return (
    <DetailPanel title={t('submission.rowTitle', { sheet: row.sheet, row: row.row })} close={close}>
      <p className={styles.who}>
        <KindMark kind={row.kind} deletes={deletes} /> <code>{row.key}</code>
      </p>
      {row.reason !== null && <p>{row.reason}</p>}
      {row.kind === 'new' && <p className="muted">{t('preview.willCreate')}</p>}
      {row.errors.length > 0 && (
        <>
          <p className="muted">{t('preview.noSend')}</p>
          <div className={styles.wrapped}>
            <ErrorTexts errors={row.errors} fields={view.fields} />
          </div>
        </>
      )}
      <dl className={styles.fields}>
        {row.fields.map((field) => (
          <ChangedField key={field.field} view={view} field={deletes ? toDeletedField(field) : field} created={deletes || row.kind === 'new'} />
        ))}
      </dl>
    </DetailPanel>
  );
}

function ChangedField({ view, field, created }: { view: ImportView; field: PreviewField; created: boolean }) {
  const { t } = useTranslation();
  const name = useFieldName(view, field.field);
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <FieldValues view={view} field={field} isNew={created} />
        {field.conflict && <span className={styles.why}>{t(`preview.why.${field.conflict}`)}</span>}
      </dd>
    </>
  );
}

/** The preview step. It shows the changes per row, compared with the current values at the import's site. */
export function PreviewStep({ view, siteCheck }: { view: ImportView; siteCheck: SiteCheck }) {
  const { t } = useTranslation();
  const site = useImportSite(view);
  const siteName = useSiteName();
  const preview = useCurrentPreview(view);
  const { resetPreview } = useImport();
  if (site && !site.signedIn) {
    return (
      <div className={styles.page}>
        <SignInPanel why={t('preview.signInFirst')} />
      </div>
    );
  }
  if (!site) return null;
  // The check may exclude rows, so the preview waits for it.
  if (!preview && siteCheck.isPending) {
    return (
      <p className={styles.page} role="status">
        {t('against.busy', { site: siteName(site.site.name) })}
      </p>
    );
  }
  return preview ? <PreviewResult view={view} preview={preview} again={resetPreview} /> : <PreviewRunner key={site.site.name} view={view} />;
}

function PreviewRunner({ view }: { view: ImportView }) {
  const run = usePreviewRun(view);
  const { problem, running } = run;
  return (
    <div className={styles.page}>
      {problem && <ProblemNote problem={problem} retry={run.start} />}
      {running && <PreviewProgressPanel run={run} site={view.destination?.site ?? ''} />}
      {!running && !problem && <StoppedPreview again={run.start} />}
    </div>
  );
}

function PreviewProgressPanel({ run, site }: { run: PreviewRun; site: string }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const siteName = useSiteName();
  const isLate = useDelayed(true);
  const { progress, stop } = run;
  const name = t('preview.reading', { site: siteName(site) });
  if (!isLate) return null;
  return (
    <div className={styles.far} role="status" data-testid="preview-reading">
      <p>{name}</p>
      <div className={styles.line}>
        {progress?.of ? (
          <Progress className={styles.bar} value={(100 * progress.requests) / progress.of} aria-label={name} />
        ) : null}
        <span className="number muted">
          {progress &&
            (progress.of
              ? t('preview.requestsOf', { count: progress.of, done: number(progress.requests), all: number(progress.of) })
              : t('preview.requests', { count: progress.requests }))}
        </span>
        <Button size="xs" variant="default" onClick={stop} data-testid="preview-stop">
          {t('preview.stop')}
        </Button>
      </div>
    </div>
  );
}

function StoppedPreview({ again }: { again: () => void }) {
  const { t } = useTranslation();
  return (
    <p className={styles.stopped} role="status">
      <span>{t('preview.stopped')}</span>
      <Button size="xs" variant="default" onClick={again} data-testid="preview-again">
        {t('preview.again')}
      </Button>
    </p>
  );
}

type PreviewTotalsProps = { counts: PreviewCounts; deletes: boolean; filter: PreviewFilter; choose: (filter: PreviewFilter) => void };

/** The number of rows per outcome. Each number filters the grid. At first, unchanged rows are left out. */
function PreviewTotals({ counts, deletes, filter, choose }: PreviewTotalsProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const all = PREVIEW_KINDS.reduce((sum, kind) => sum + counts[kind], 0);
  const kindButton = (kind: PreviewKind | null, unchanged: boolean, name: string, count: number, testId: string) => (
    <UnstyledButton
      key={testId}
      className={countsStyles.count}
      aria-pressed={filter.kind === kind && filter.unchanged === unchanged}
      onClick={() => choose({ ...filter, kind, unchanged })}
    >
      {kind !== null && <KindSign kind={kind} deletes={deletes} />}
      <span>{name}</span>
      <b className="number" data-testid={testId}>
        {number(count)}
      </b>
    </UnstyledButton>
  );
  return (
    <div className={countsStyles.counts} role="group" aria-label={t('preview.totals')}>
      {kindButton(null, counts.same > 0, t('preview.all'), all, 'preview-all')}
      {counts.same > 0 && kindButton(null, false, t('preview.notSame'), all - counts.same, 'preview-changes')}
      {visibleKinds(counts).map((kind) =>
        kindButton(kind, false, t(deletes && kind === 'changed' ? 'preview.kinds.deleted' : `preview.kinds.${kind}`), counts[kind], `preview-${kind}`),
      )}
    </div>
  );
}

type PreviewTabsProps = { steps: Step[]; chosen: number; choose: (step: number) => void };

/** The steps of a plan with the outcomes of their rows. */
function PreviewTabs({ steps, chosen, choose }: PreviewTabsProps) {
  return (
    <StepTabs
      tabs={steps.map((step, index) => ({ key: index, name: step.sheet, mark: <KindCounts step={step} />, testId: `preview-step-${step.sheet}` }))}
      chosen={chosen}
      choose={(index) => choose(Number(index))}
    />
  );
}

function KindCounts({ step }: { step: Step }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <span className={tabsStyles.mark}>
      {PREVIEW_KINDS
        .filter((kind) => step.counts[kind] > 0)
        .map((kind) => (
          <span key={kind} title={t(`preview.kinds.${kind}`)}>
            <KindSign kind={kind} /> <span className="number">{number(step.counts[kind])}</span>
            <span className="hidden"> {t(`preview.kinds.${kind}`)}</span>{' '}
          </span>
        ))}
    </span>
  );
}

/** Alarms about all rows of a step, such as dates that all moved. Each row may be valid. */
function PreviewAlarms({ view, step }: { view: ImportView; step: Step }) {
  const { i18n } = useTranslation();
  const { number } = useFormats();
  if (step.alarms.length === 0) return null;
  return (
    <div role="alert" data-testid="preview-alarms">
      <ul className={styles.alarms}>
        {step.alarms.map((alarm) => (
          <li key={`${alarm.kind}·${alarm.field}`} data-testid={`alarm-${alarm.kind}`} data-field={alarm.field}>
            <SeveritySign severity={alarm.kind === 'dates-moved' ? 'note' : 'warning'} withLabel />
            <span>{alarmText({ ...alarm, field: fieldName(view.fields, alarm.field, i18n.language) }, number)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Offers to send rows without changes, and deletes of missing items. */
function UnchangedRowsChoice({ preview }: { preview: PreviewView }) {
  const { t } = useTranslation();
  const { choice, choosePreview } = useImport();
  const { same, notLinked } = preview.counts;
  if (same + notLinked === 0) return null;
  return (
    <Checkbox
      className={styles.same}
      size="sm"
      checked={choice.sendSame}
      onChange={(event) => choosePreview({ ...choice, sendSame: event.currentTarget.checked })}
      label={notLinked > 0 ? t('preview.sendNotLinked', { count: notLinked }) : t('preview.sendSame', { count: same })}
      data-testid="send-same"
    />
  );
}

/** Offers to send deletes that couldn't be compared, which can't be undone. */
function UncheckedDeletesChoice({ preview }: { preview: PreviewView }) {
  const { t } = useTranslation();
  const { choice, choosePreview } = useImport();
  const count = uncheckedDeletes(preview.steps);
  if (count === 0) return null;
  return (
    <Checkbox
      className={styles.same}
      size="sm"
      checked={choice.sendUnchecked ?? false}
      onChange={(event) => choosePreview({ ...choice, sendUnchecked: event.currentTarget.checked })}
      label={t('preview.sendUnchecked', { count })}
      data-testid="send-unchecked"
    />
  );
}

/** Asks for a decision on conflicts. Hidden if there are none. */
function ConflictDecision({ preview }: { preview: PreviewView }) {
  const { t } = useTranslation();
  const { choice, choosePreview } = useImport();
  const { conflict } = preview.counts;
  if (conflict === 0) return null;
  const decide = (conflicts: ConflictChoice, word: string) => (
    <Button
      size="compact-sm"
      variant={choice.conflicts === conflicts ? 'filled' : 'default'}
      aria-pressed={choice.conflicts === conflicts}
      onClick={() => choosePreview({ ...choice, conflicts: choice.conflicts === conflicts ? 'stop' : conflicts })}
      data-testid={`conflicts-${conflicts}`}
    >
      {word}
    </Button>
  );
  return (
    <p className={styles.conflicts} data-testid="preview-conflicts">
      <span>{t('preview.conflicts', { count: conflict })}</span>
      {decide('skip', t('preview.skip'))}
      {decide('send', t('preview.sendAnyway'))}
    </p>
  );
}

const NO_FILTER: PreviewFilter = { kind: null, unchanged: false, text: '' };

function PreviewResult({ view, preview, again }: { view: ImportView; preview: PreviewView; again: () => void }) {
  const { t } = useTranslation();
  const [at, setAt] = useState(() => preview.steps.findIndex((step) => step.sheet === view.sheet));
  const [filter, setFilter] = useState<PreviewFilter>(NO_FILTER);
  const [row, setRow] = useState<PreviewRow | null>(null);
  const index = Math.max(0, at);
  const step = preview.steps[index];
  if (!step) return null;
  const openStep = (next: number) => {
    setAt(next);
    applyFilter(NO_FILTER);
  };
  const applyFilter = (next: PreviewFilter) => {
    setFilter(next);
    setRow(null);
  };
  return (
    <div className={styles.outer} data-testid="preview">
      <PreviewTabs steps={preview.steps} chosen={index} choose={openStep} />
      <div className={styles.filter}>
        <PreviewTotals counts={step.counts} deletes={step.deletes} filter={filter} choose={applyFilter} />
        <SearchInput key={index} label={t('preview.find')} text={filter.text} onSearch={(text) => applyFilter({ ...filter, text })} testId="preview-find" />
        <UndoNote view={view} preview={preview} />
        <UnchangedRowsChoice preview={preview} />
        <UncheckedDeletesChoice preview={preview} />
        {preview.counts.unknown > 0 && preview.steps.some(({ list }) => list !== null) && (
          <Button size="xs" variant="default" onClick={again} data-testid="compare-again">
            {t('preview.compareAgain')}
          </Button>
        )}
      </div>
      <NoListNote step={step} />
      <PartialKeyNote view={view} step={step} />
      {step.problem && (
        <div className={styles.problem}>
          <ProblemNote problem={step.problem} isSubtle />
        </div>
      )}
      <PreviewAlarms view={view} step={step} />
      <ConflictDecision preview={preview} />
      <div className={styles.middle}>
        <PreviewGrid key={index} view={view} preview={preview} step={index} filter={filter} onRow={setRow} />
        {row && (row.fields.length + row.errors.length > 0 || row.reason !== null) && <PreviewDetail view={view} row={row} deletes={step.deletes} close={() => setRow(null)} />}
      </div>
    </div>
  );
}

/** Shows that the changes can be undone later, because the preview has read the previous values. */
function UndoNote({ view, preview }: { view: ImportView; preview: PreviewView }) {
  const { t } = useTranslation();
  const rowCountLabel = useRowCountLabel(view);
  const { choice } = useImport();
  const { undoable } = forecastUndo(preview.steps, choice);
  if (undoable === 0) return null;
  return (
    <p className={styles.undoable} data-testid="preview-undoable">
      {t('preview.undoable', { things: rowCountLabel(undoable) })}
    </p>
  );
}

/** Warns if the service's list has only a part of the key. Then entries can't be told apart. */
function PartialKeyNote({ view, step }: { view: ImportView; step: Step }) {
  const { t, i18n } = useTranslation();
  if (step.unshownKey.length === 0) return null;
  const fields = step.unshownKey.map((field) => fieldName(view.fields, field, i18n.language)).join(', ');
  return (
    <p className={styles.silence} role="status" data-testid="preview-unshown-key">
      {t('preview.unshownKey', { fields })}
    </p>
  );
}

/** Shows that the operation has no list with which the rows could be compared. */
function NoListNote({ step }: { step: Step }) {
  const { t } = useTranslation();
  if (step.list !== null) return null;
  return (
    <p className={styles.silence} role="status" data-testid="preview-silent">
      {t('preview.silent')}
    </p>
  );
}
