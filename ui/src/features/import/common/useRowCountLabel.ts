import { useCountLabel } from '@/base/useCountLabel';
import type { ImportView } from '@/ipc/bindings';
import { sentSteps } from './plan';

/**
 * Returns a formatter for row counts, such as `34 orders`. The noun is `rows` if several rows form one item, or if the sheets
 * have different operations.
 */
export function useRowCountLabel(view: ImportView): (count: number) => string {
  const countLabel = useCountLabel();
  const { totals } = view;
  const kinds = new Set(sentSteps(view).map((step) => step.operation));
  const [singleOperation] = kinds.size === 1 && totals.items === totals.rows - totals.excluded ? kinds : [];
  return (count) => countLabel(count, singleOperation ?? null);
}
