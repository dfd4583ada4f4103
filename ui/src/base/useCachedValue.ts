import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';

/**
 * Returns a cached value and renders synchronously with each write. A query notifies its components later, which would reset an
 * input between two keystrokes.
 */
export function useCachedValue<T>(key: QueryKey): T | undefined {
  const client = useQueryClient();
  const subscribe = useCallback((changed: () => void) => client.getQueryCache().subscribe(changed), [client]);
  return useSyncExternalStore(subscribe, () => client.getQueryData<T>(key));
}
