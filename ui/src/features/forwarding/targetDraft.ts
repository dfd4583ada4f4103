import { type LocalDateTime, formatLocalDateTime } from '@/base/values/localDateTime';
import type { ForwardTarget, TargetStart, TargetSettings } from '@/ipc/bindings';

/** A header as typed. An empty value keeps the stored value. */
export type HeaderDraft = { key: number; name: string; value: string; isStored: boolean };

export const START_OPTIONS = ['now', 'beginning', 'since'] as const;
export type StartOption = (typeof START_OPTIONS)[number];

/** A target's settings as typed in the form. */
export type TargetDraft = {
  name: string;
  address: string;
  kinds: string[];
  headers: HeaderDraft[];
  secret: string;
  /** Whether saving removes the stored secret. */
  removesSecret: boolean;
  /** Whether an external address may use plain HTTP. */
  allowHttp: boolean;
  start: StartOption;
  /** Events from this time on are forwarded, in the site's time zone. Only used if `start` is `since`. */
  since: LocalDateTime;
};

export function toDraft(target: ForwardTarget | undefined): TargetDraft {
  return {
    name: target?.name ?? '',
    address: target?.address ?? '',
    kinds: target?.kinds.map(String) ?? [],
    headers: target?.headers.map((name, key) => ({ key, name, value: '', isStored: true })) ?? [],
    secret: '',
    removesSecret: false,
    allowHttp: target?.allowHttp ?? false,
    start: 'now',
    since: { day: '', time: '' },
  };
}

/** Returns a key for a new header. */
export function nextHeaderKey(headers: readonly HeaderDraft[]): number {
  return Math.max(-1, ...headers.map(({ key }) => key)) + 1;
}

export function toSettings({ name, address, kinds, headers, secret, removesSecret, allowHttp }: TargetDraft): TargetSettings {
  return {
    name: name.trim(),
    address: address.trim(),
    kinds: kinds.map(Number),
    headers: headers.map((header) => [header.name.trim(), header.value]),
    secret: removesSecret ? '' : secret || null,
    allowHttp,
  };
}

/** Whether all required settings are filled in. */
export function isComplete({ name, address, start, since }: TargetDraft): boolean {
  return name.trim() !== '' && address.trim() !== '' && (start !== 'since' || since.day !== '');
}

export function toStart({ start, since }: TargetDraft): TargetStart {
  return start === 'since' ? { from: 'since', moment: formatLocalDateTime(since) } : { from: start };
}
