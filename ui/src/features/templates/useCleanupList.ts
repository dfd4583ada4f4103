import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';

import { client } from '../../app/client';
import { tellProblem } from '../../components/tellProblem';
import { type CleanupLink, commands } from '../../ipc/bindings';

const none: CleanupLink[] = [];

/** The links to delete of a site. They are kept over a restart, and never cross from one site to another. */
export function useCleanupList(site: string): [CleanupLink[], (links: CleanupLink[]) => void] {
  const { data } = useQuery({ queryKey: key(site), queryFn: () => commands.cleanupLinks(), staleTime: Infinity });
  const put = useCallback(
    (links: CleanupLink[]) => {
      const before = client.getQueryData<CleanupLink[]>(key(site));
      client.setQueryData(key(site), links);
      commands.cleanupKeep(links).catch((cause: unknown) => {
        client.setQueryData(key(site), before);
        tellProblem(cause);
      });
    },
    [site],
  );
  return [data ?? none, put];
}

function key(site: string): string[] {
  return ['cleanup', site];
}
