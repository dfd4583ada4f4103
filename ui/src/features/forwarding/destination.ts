import { isUnencrypted } from '@/base/addresses';
import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import type { Destination } from '@/ipc/bindings';

/** A replay's destination: an address, which needs `allowHttp` for plain HTTP, or a target's ID. */
export type DestinationDraft = { address: string; allowHttp: boolean; target: string | null };

/**
 * Returns the last address, stored only in memory because it may contain secrets. Targets aren't remembered, as they belong to
 * one site.
 */
export function storedDestination(): DestinationDraft {
  return { address: queryClient.getQueryData<string>(queryKeys.replayAddress) ?? '', allowHttp: false, target: null };
}

export function storeDestination({ address, target }: DestinationDraft): void {
  if (target !== null) return;
  queryClient.setQueryDefaults(queryKeys.replayAddress, { gcTime: Infinity });
  queryClient.setQueryData(queryKeys.replayAddress, address.trim());
}

/** Whether sending is blocked, because the address is unencrypted and that isn't allowed. */
export function isBlocked({ address, allowHttp, target }: DestinationDraft): boolean {
  return target === null && isUnencrypted(address) && !allowHttp;
}

/** Returns the destination, null if it is incomplete. */
export function toDestination({ address, allowHttp, target }: DestinationDraft): Destination | null {
  if (target !== null) return { to: 'target', id: Number(target) };
  return address.trim() === '' ? null : { to: 'address', address: address.trim(), allowHttp };
}
