import { ActionIcon, Checkbox } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { RadioOption } from '@/components/controls/RadioOption';
import { useImport } from '@/features/import-session';
import { type ImportView, type PlanStep, type SheetView, commands } from '@/ipc/bindings';
import { StepMark } from '../common/StepMark';
import styles from '../common/plan.module.css';

/** Lists the plan's sheets in sending order with their operations, then the excluded sheets. */
export function PlanSheets({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  // Until the whole workbook has been read, the plan has only the selected sheet.
  const steps = view.coversWorkbook ? view.steps : [];
  const otherSheets = view.sheets.filter((sheet) => !steps.some((step) => step.sheet === sheet.name));
  return (
    <fieldset className={styles.group} data-testid={view.coversWorkbook ? 'plan' : 'sheets'}>
      <legend>{t(view.coversWorkbook ? 'plan.title' : 'file.sheet')}</legend>
      <ol className={styles.steps}>
        {steps.map((step) => (
          <StepLine key={step.sheet} view={view} step={step} />
        ))}
      </ol>
      {view.coversWorkbook && otherSheets.length > 0 && <p className="muted small">{t('plan.others')}</p>}
      {otherSheets.map((sheet) => (
        <OtherSheet key={sheet.name} view={view} sheet={sheet} />
      ))}
    </fieldset>
  );
}

function StepLine({ view, step }: { view: ImportView; step: PlanStep }) {
  const { t } = useTranslation();
  const { apply, busy } = useImport();
  const itemSheets = view.steps.filter((one) => one.part === null).map((one) => one.sheet);
  const move = (by: -1 | 1) => void apply(commands.importOrder(view.id, moveSheet(itemSheets, step.sheet, by)));
  return (
    <li className={styles.step} data-part={step.part !== null} data-state={step.state}>
      <span className={styles.place}>{step.part === null ? step.order : ''}</span>
      <StepDetails view={view} step={step} />
      <span className={styles.arrows}>
        {step.mayGoEarlier && (
          <ActionIcon size="sm" variant="subtle" disabled={busy} onClick={() => move(-1)} aria-label={t('plan.earlier', { sheet: step.sheet })} title={t('plan.earlier', { sheet: step.sheet })} data-testid={`plan-earlier-${step.sheet}`}>
            <IconArrowUp size={14} aria-hidden />
          </ActionIcon>
        )}
        {step.mayGoLater && (
          <ActionIcon size="sm" variant="subtle" disabled={busy} onClick={() => move(1)} aria-label={t('plan.later', { sheet: step.sheet })} title={t('plan.later', { sheet: step.sheet })} data-testid={`plan-later-${step.sheet}`}>
            <IconArrowDown size={14} aria-hidden />
          </ActionIcon>
        )}
      </span>
      <Checkbox
        size="xs"
        checked={step.state !== 'skipped'}
        onChange={(event) => void apply(commands.importLeaveSheet(view.id, step.sheet, !event.currentTarget.checked))}
        aria-label={t('plan.send', { sheet: step.sheet })}
        title={t('plan.send', { sheet: step.sheet })}
        data-testid={`plan-in-${step.sheet}`}
      />
    </li>
  );
}

/** Moves a sheet up or down. */
function moveSheet(sheets: string[], sheet: string, by: -1 | 1): string[] {
  const at = sheets.indexOf(sheet);
  const otherSheets = sheets.filter((one) => one !== sheet);
  return [...otherSheets.slice(0, at + by), sheet, ...otherSheets.slice(at + by)];
}

function OtherSheet({ view, sheet }: { view: ImportView; sheet: SheetView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { apply } = useImport();
  return (
    <RadioOption
      name="sheet"
      checked={sheet.name === view.sheet}
      onSelect={() => void apply(commands.importSheet(view.id, sheet.name))}
      disabled={sheet.rows === 0}
      testId={`sheet-${sheet.name}`}
    >
      <span>{sheet.name}</span>
      <span className="muted small number">
        {[
          sheet.rows === 0 && t('file.empty'),
          sheet.rows !== null &&
            sheet.rows > 0 &&
            [t('file.sizeRows', { count: sheet.rows, rows: number(sheet.rows) }), t('file.sizeColumns', { count: sheet.columns ?? 0, columns: number(sheet.columns ?? 0) })].join(', '),
          !sheet.visible && t('file.hiddenSheet'),
        ]
          .filter((part) => part !== false)
          .join(' · ')}
      </span>
    </RadioOption>
  );
}

function StepDetails({ view, step }: { view: ImportView; step: PlanStep }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const { apply } = useImport();
  const operations = useOperations();
  const about = step.part
    ? t('plan.part', { sheet: step.part.of, list: listName(operations, step, name) })
    : operationName(operations, step.operation, name);
  return (
    <RadioOption
      name="sheet"
      checked={step.sheet === view.sheet}
      onSelect={() => void apply(commands.importSheet(view.id, step.sheet))}
      testId={`sheet-${step.sheet}`}
    >
      <span className={styles.name}>
        {step.sheet} <StepMark step={step} />
      </span>
      <span className="muted small">
        {about} · <span className="number">{t('plan.rows', { count: step.counts.rows, rows: number(step.counts.rows) })}</span>
        {step.waitsFor.length > 0 && ` · ${t('plan.after', { sheets: step.waitsFor.join(', ') })}`}
      </span>
    </RadioOption>
  );
}

type NamedItem = Parameters<ReturnType<typeof useFormats>['name']>[0];

function listName(operations: ReturnType<typeof useOperations>, step: PlanStep, name: (thing: NamedItem) => string): string {
  const fields = operations.find((one) => one.id === step.operation)?.request?.fields ?? [];
  const list = fields.find((field) => field.name === step.part?.list);
  return list ? name(list) : (step.part?.list ?? '');
}
