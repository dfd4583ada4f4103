import type { Row } from '@/base/values/cells';
import type { Operation } from '@/ipc/bindings';
import { rowKey } from './Operations';
import { PlanBars } from './PlanBars';

type Props = { operation: Operation; rows: readonly Row[]; code: string; now: string };

/** The order's operations, planned and actual, drawn from the fields of its list's plan. */
export function OrderPlan({ operation, rows, code, now }: Props) {
  const draw = operation.pictures.map((picture) => picture.draw).find(({ kind }) => kind === 'plan');
  if (draw?.kind !== 'plan') return null;
  const head = operation.key.filter((member) => member !== code);
  return <PlanBars rows={rows} label={(row) => rowKey(row, head)} planned={draw.planned} real={draw.real ?? null} status={draw.status ?? null} now={now} />;
}
