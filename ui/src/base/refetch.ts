import type { QueryClient, QueryKey } from '@tanstack/react-query';

/**
 * Reads again what is shown, after something changed. What is being read just now may be older than that: it comes to its end,
 * however often this is called meanwhile, and is read once more.
 */
export async function refetchQueries(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const busy = client.isFetching({ queryKey }) > 0;
  await client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  if (busy) await client.invalidateQueries({ queryKey }, { cancelRefetch: false });
}
