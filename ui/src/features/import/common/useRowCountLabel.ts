import { useCountLabel } from '@/base/useCountLabel';
import type { ImportView } from '@/ipc/bindings';
import { sentSteps } from './plan';

/**
 * Returns a formatter for counts of an import's rows. They are called rows if several rows form one item, or the sheets have
 * several kinds.
 */
export function useRowCountLabel(view: ImportView): (count: number) => string {
  const countLabel = useCountLabel();
  const { totals } = view;
  const kinds = new Set(sentSteps(view).map((step) => step.operation));
  const [only] = kinds.size === 1 && totals.items === totals.rows - totals.excluded ? kinds : [];
  return (count) => countLabel(count, only ?? null);
}
