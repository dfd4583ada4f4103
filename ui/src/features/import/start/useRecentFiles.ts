import { useQuery } from '@tanstack/react-query';

import { queryKeys } from '@/base/queryKeys';
import { type RecentFileView, commands } from '@/ipc/bindings';

/** Returns the recent files, refetched on each mount. */
export function useRecentFiles(): RecentFileView[] {
  const { data } = useQuery({ queryKey: queryKeys.recentFiles, queryFn: () => commands.recentFiles(), staleTime: 0, refetchOnMount: 'always' });
  return data ?? NO_FILES;
}

const NO_FILES: RecentFileView[] = [];
