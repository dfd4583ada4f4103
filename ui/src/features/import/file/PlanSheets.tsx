import { Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { Choice } from '@/components/controls/Choice';
import { useImport } from '@/features/import-session';
import { type ImportView, type PlanStep, commands } from '@/ipc/bindings';
import { StepMark } from '../common/StepMark';
import styles from '../common/plan.module.css';

/** The sheets in the order in which they are sent, with what each is for; one that isn't wanted is left out. */
export function PlanSheets({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { apply } = useImport();
  const planned = new Set(view.steps.map((step) => step.sheet));
  const others = view.sheets.filter((sheet) => !planned.has(sheet.name));
  return (
    <fieldset className={styles.group} data-testid="plan">
      <legend>{t('plan.title')}</legend>
      <ol className={styles.steps}>
        {view.steps.map((step) => (
          <li key={step.sheet} className={styles.step} data-part={step.part !== null} data-state={step.state}>
            <span className={styles.place}>{step.part === null ? step.order : ''}</span>
            <Step view={view} step={step} />
            <Checkbox
              size="xs"
              checked={step.state !== 'left-out'}
              onChange={(event) => void apply(commands.importLeaveSheet(view.id, step.sheet, !event.currentTarget.checked))}
              aria-label={t('plan.send', { sheet: step.sheet })}
              title={t('plan.send', { sheet: step.sheet })}
              data-testid={`plan-in-${step.sheet}`}
            />
          </li>
        ))}
      </ol>
      {others.length > 0 && <p className="muted small">{t('plan.others')}</p>}
      {others.map((sheet) => (
        <Choice
          key={sheet.name}
          name="sheet"
          checked={sheet.name === view.sheet}
          choose={() => void apply(commands.importSheet(view.id, sheet.name))}
          disabled={sheet.rows === 0}
          testId={`sheet-${sheet.name}`}
        >
          <span>{sheet.name}</span>
          {!sheet.visible && <span className="muted small">{t('file.hiddenSheet')}</span>}
        </Choice>
      ))}
    </fieldset>
  );
}

function Step({ view, step }: { view: ImportView; step: PlanStep }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const { apply } = useImport();
  const operations = useOperations();
  const about = step.part
    ? t('plan.part', { sheet: step.part.of, list: listName(operations, step, name) })
    : operationName(operations, step.operation, name);
  return (
    <Choice
      name="sheet"
      checked={step.sheet === view.sheet}
      choose={() => void apply(commands.importSheet(view.id, step.sheet))}
      testId={`sheet-${step.sheet}`}
    >
      <span className={styles.name}>
        {step.sheet} <StepMark step={step} />
      </span>
      <span className="muted small">
        {about} · <span className="number">{t('plan.rows', { count: step.counts.rows, rows: number(step.counts.rows) })}</span>
        {step.waitsFor.length > 0 && ` · ${t('plan.after', { sheets: step.waitsFor.join(', ') })}`}
      </span>
    </Choice>
  );
}

type Named = Parameters<ReturnType<typeof useFormats>['name']>[0];

function listName(operations: ReturnType<typeof useOperations>, step: PlanStep, name: (thing: Named) => string): string {
  const fields = operations.find((one) => one.id === step.operation)?.request?.fields ?? [];
  const list = fields.find((field) => field.name === step.part?.list);
  return list ? name(list) : (step.part?.list ?? '');
}
