import { usePageKeys } from '@/components/page/pageKeys';
import { reachable, steps, useImport } from '@/features/import-session';

/** Enter goes on and Esc goes back, wherever the focus has no use for the key of its own. Nothing is ever sent by Enter alone. */
export function useStepKeys(): void {
  const session = useImport();
  const { step, goStep } = session;
  usePageKeys((event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || isOwnKey(event)) return;
    const at = steps.indexOf(step);
    const target = event.key === 'Enter' ? steps[at + 1] : event.key === 'Escape' ? steps[at - 1] : undefined;
    if (!target || !reachable(target, session)) return;
    event.preventDefault();
    goStep(target);
  });
}

/** Where the focus is has a use for the key. */
function isOwnKey(event: KeyboardEvent): boolean {
  const at = event.target;
  if (!(at instanceof HTMLElement)) return false;
  // There Enter edits the cell, and Escape ends that.
  if (at.closest('[data-testid="grid-check"]')) return true;
  if (at instanceof HTMLInputElement) return at.type !== 'radio';
  if (at.matches('select, textarea, [contenteditable="true"]')) return true;
  return event.key === 'Enter' && at.matches('button, a, summary');
}
