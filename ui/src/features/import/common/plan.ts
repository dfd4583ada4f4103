import { useEffect, useRef } from 'react';

import { useImport } from '@/features/import-session';
import { type ImportView, type PlanStep, commands } from '@/ipc/bindings';

/** Requests the plan of a workbook with several visible sheets, once per import. */
export function usePlanRequest(view: ImportView): void {
  const { apply } = useImport();
  const requested = useRef<number | null>(null);
  const several = view.sheets.filter((sheet) => sheet.visible).length > 1;
  const missing = several && !view.coversWorkbook;
  useEffect(() => {
    if (!missing || requested.current === view.id) return;
    requested.current = view.id;
    void apply(commands.importPlan(view.id), 'program');
  }, [missing, view.id, apply]);
}

/** Returns the steps that are sent separately. A sheet of parts is sent with the items that the parts belong to. */
export function sentSteps(view: ImportView): PlanStep[] {
  return view.steps.filter((step) => step.state !== 'skipped' && step.part === null);
}
