import { useSite } from '@/base/appState';

/** Whether the selected site is the practice plant, which sends events without a subscription. */
export function useIsPractice(): boolean {
  return useSite()?.site.kind === 'practice';
}
