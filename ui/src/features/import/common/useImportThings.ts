import { useNouns } from '@/base/useNouns';
import type { ImportView } from '@/ipc/bindings';
import { sentSteps } from './plan';

/** Counts an import's rows by what they are; where several rows make one of them, or its sheets hold several kinds, they stay rows. */
export function useImportThings(view: ImportView): (count: number) => string {
  const nouns = useNouns();
  const { totals } = view;
  const kinds = new Set(sentSteps(view).map((step) => step.operation));
  const [only] = kinds.size === 1 && totals.items === totals.rows - totals.excluded ? kinds : [];
  return (count) => nouns(count, only ?? null);
}
