import { useSite } from '@/base/appState';

/** Whether the selected site is the practice plant. It sends events to Takt without a subscription. */
export function useIsPractice(): boolean {
  return useSite()?.site.kind === 'practice';
}
