import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';

import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type CleanupLink, commands } from '@/ipc/bindings';

const none: CleanupLink[] = [];

/** The links to delete of a site. They are kept over a restart, and never cross from one site to another. */
export function useCleanupList(site: string): [CleanupLink[], (links: CleanupLink[]) => void] {
  const { data } = useQuery({ queryKey: queryKeys.cleanupLinks(site), queryFn: () => commands.cleanupLinks(), staleTime: Infinity });
  const put = useCallback(
    (links: CleanupLink[]) => {
      const before = queryClient.getQueryData<CleanupLink[]>(queryKeys.cleanupLinks(site));
      queryClient.setQueryData(queryKeys.cleanupLinks(site), links);
      commands.cleanupSetLinks(links).catch((cause: unknown) => {
        queryClient.setQueryData(queryKeys.cleanupLinks(site), before);
        showProblemNotice(cause);
      });
    },
    [site],
  );
  return [data ?? none, put];
}
