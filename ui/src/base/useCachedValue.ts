import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';

/**
 * What the cache holds under a key, in the moment that it is written. A query tells its components a moment later: a field whose value
 * comes from there would be set back between two keys, and lose the first.
 */
export function useCachedValue<T>(key: QueryKey): T | undefined {
  const client = useQueryClient();
  const subscribe = useCallback((changed: () => void) => client.getQueryCache().subscribe(changed), [client]);
  return useSyncExternalStore(subscribe, () => client.getQueryData<T>(key));
}
