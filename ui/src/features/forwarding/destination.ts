import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import type { Destination } from '@/ipc/bindings';

/** Where a replay went last: an address, or a target by its number. */
export type Where = { address: string; target: string | null };

/** The address until Takt ends: it may hold what is secret, so it is written nowhere. A target is of one site alone. */
export function remembered(): Where {
  return { address: queryClient.getQueryData<string>(queryKeys.replayAddress) ?? '', target: null };
}

export function remember({ address, target }: Where): void {
  if (target !== null) return;
  queryClient.setQueryDefaults(queryKeys.replayAddress, { gcTime: Infinity });
  queryClient.setQueryData(queryKeys.replayAddress, address.trim());
}

/** Nothing where a person hasn't said yet. */
export function destination({ address, target }: Where): Destination | null {
  if (target !== null) return { to: 'target', id: Number(target) };
  return address.trim() === '' ? null : { to: 'address', address: address.trim() };
}
