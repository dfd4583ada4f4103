import { useImport } from '@/features/import-session';
import type { ImportView, PreviewChoice } from '@/ipc/bindings';
import { skippedCount, isUndecided } from './previewKinds';
import { useCurrentPreview } from './usePreview';

/**
 * Returns the preview's consequences for sending: the choice for the engine, whether a decision is missing, and the number of
 * rows not sent.
 */
export function usePreviewOutcome(view: ImportView): { choiceMade: PreviewChoice | null; open: boolean; stays: number } {
  const { choice } = useImport();
  const preview = useCurrentPreview(view);
  if (!preview) return { choiceMade: null, open: false, stays: 0 };
  return { choiceMade: choice, open: isUndecided(preview, choice), stays: skippedCount(preview, choice) };
}
