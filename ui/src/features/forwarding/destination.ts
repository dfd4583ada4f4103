import { isOpen } from '@/base/addresses';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import type { Destination } from '@/ipc/bindings';

/** Where a replay goes: an address, which may begin with http by choice, or a target by its number. */
export type Where = { address: string; allowHttp: boolean; target: string | null };

/** The address until Takt ends: it may hold what is secret, so it is written nowhere. A target is of one site alone. */
export function remembered(): Where {
  return { address: queryClient.getQueryData<string>(queryKeys.replayAddress) ?? '', allowHttp: false, target: null };
}

export function remember({ address, target }: Where): void {
  if (target !== null) return;
  queryClient.setQueryDefaults(queryKeys.replayAddress, { gcTime: Infinity });
  queryClient.setQueryData(queryKeys.replayAddress, address.trim());
}

/** Others could read it on the way, and nobody has allowed that. */
export function isHeld({ address, allowHttp, target }: Where): boolean {
  return target === null && isOpen(address) && !allowHttp;
}

/** Nothing where a person hasn't said yet. */
export function destination({ address, allowHttp, target }: Where): Destination | null {
  if (target !== null) return { to: 'target', id: Number(target) };
  return address.trim() === '' ? null : { to: 'address', address: address.trim(), allowHttp };
}
