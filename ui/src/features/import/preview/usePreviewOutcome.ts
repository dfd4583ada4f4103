import { useImport } from '@/features/import-session';
import type { ImportView, PreviewChoice } from '@/ipc/bindings';
import { skipped, undecided } from './previewKinds';
import { useCurrentPreview } from './usePreview';

/** What the preview means for sending: what is told to the engine, whether something is undecided, and how many rows stay. */
export function usePreviewOutcome(view: ImportView): { seen: PreviewChoice | null; open: boolean; stays: number } {
  const { choice } = useImport();
  const preview = useCurrentPreview(view);
  if (!preview) return { seen: null, open: false, stays: 0 };
  return { seen: choice, open: undecided(preview, choice), stays: skipped(preview.counts, choice) };
}
