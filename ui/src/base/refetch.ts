import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Refetches active queries after a change. A running fetch may have missed the change: it isn't canceled, and is followed by one
 * more fetch.
 */
export async function refetchQueries(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const busy = client.isFetching({ queryKey }) > 0;
  await client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  if (busy) await client.invalidateQueries({ queryKey }, { cancelRefetch: false });
}
