import { useSite } from '@/base/appState';

/** Whether the chosen site is the practice plant, which tells its events by itself. */
export function useIsPractice(): boolean {
  return useSite()?.site.kind === 'practice';
}
