import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Refetches active queries after a change. A fetch in flight isn't canceled. It may have missed the change, so another fetch
 * follows.
 */
export async function refetchQueries(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const busy = client.isFetching({ queryKey }) > 0;
  await client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  if (busy) await client.invalidateQueries({ queryKey }, { cancelRefetch: false });
}
