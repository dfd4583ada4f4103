import { useEffect, useRef } from 'react';

import { useImport } from '@/features/import-session';
import { type ImportView, type PlanStep, commands } from '@/ipc/bindings';

/** Asks for the plan of a workbook with several sheets, once. */
export function usePlanRequest(view: ImportView): void {
  const { apply } = useImport();
  const asked = useRef<number | null>(null);
  const several = view.sheets.filter((sheet) => sheet.visible).length > 1;
  const missing = several && view.steps.length === 0;
  useEffect(() => {
    if (!missing || asked.current === view.id) return;
    asked.current = view.id;
    void apply(commands.importPlan(view.id), 'program');
  }, [missing, view.id, apply]);
}

/** True where sending means the steps that aren't left out, whichever sheet is looked at. */
export function isPlan(view: ImportView): boolean {
  return view.steps.length > 1;
}

/** The steps that are sent by themselves: sheets of parts go with their items. */
export function sentSteps(view: ImportView): PlanStep[] {
  return view.steps.filter((step) => step.state !== 'left-out' && step.part === null);
}

type PlanCounts = { rows: number; ready: number; errorRows: number };

/** Of all steps together. */
export function planCounts(view: ImportView): PlanCounts {
  const steps = view.steps.filter((step) => step.state !== 'left-out');
  const sum = (of: (step: PlanStep) => number) => steps.reduce((total, step) => total + of(step), 0);
  return {
    rows: sum((step) => step.counts.rows),
    ready: sum((step) => step.counts.readyRows),
    errorRows: sum((step) => step.counts.errorRows),
  };
}
