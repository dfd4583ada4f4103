import { StepTabs } from '@/components/page/StepTabs';
import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { StepMark } from './common/StepMark';

/** Switches between sheets in the columns and check steps. */
export function PlanBar({ view }: { view: ImportView }) {
  const { apply, busy } = useImport();
  return (
    <StepTabs
      tabs={view.steps.map((step) => ({ key: step.sheet, name: step.sheet, mark: <StepMark step={step} />, testId: `plan-go-${step.sheet}` }))}
      chosen={view.sheet}
      choose={busy ? undefined : (sheet) => void apply(commands.importSheet(view.id, String(sheet)))}
      testId="plan-bar"
    />
  );
}
