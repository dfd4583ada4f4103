import { type Moment, formatMoment } from '@/base/values/moments';
import type { ForwardTarget, TargetStart, TargetSettings } from '@/ipc/bindings';

/** A header as typed. An empty value keeps the stored value. */
export type Header = { key: number; name: string; value: string; isStored: boolean };

export const START_OPTIONS = ['now', 'beginning', 'since'] as const;
export type Start = (typeof START_OPTIONS)[number];

/** A target's settings as typed in the form. */
export type Draft = {
  name: string;
  address: string;
  kinds: string[];
  headers: Header[];
  secret: string;
  /** Whether saving removes the stored secret. */
  unsigned: boolean;
  /** Whether an external address may use plain HTTP. */
  allowHttp: boolean;
  start: Start;
  /** Events from this time on are forwarded, in the site's time zone. Only used if `start` is `since`. */
  since: Moment;
};

export function toDraft(target: ForwardTarget | undefined): Draft {
  return {
    name: target?.name ?? '',
    address: target?.address ?? '',
    kinds: target?.kinds.map(String) ?? [],
    headers: target?.headers.map((name, key) => ({ key, name, value: '', isStored: true })) ?? [],
    secret: '',
    unsigned: false,
    allowHttp: target?.allowHttp ?? false,
    start: 'now',
    since: { day: '', time: '' },
  };
}

/** Returns a key for a new header. */
export function nextKey(headers: readonly Header[]): number {
  return Math.max(-1, ...headers.map(({ key }) => key)) + 1;
}

export function toSettings({ name, address, kinds, headers, secret, unsigned, allowHttp }: Draft): TargetSettings {
  return {
    name: name.trim(),
    address: address.trim(),
    kinds: kinds.map(Number),
    headers: headers.map((header) => [header.name.trim(), header.value]),
    secret: unsigned ? '' : secret || null,
    allowHttp,
  };
}

/** Whether all required settings are filled in. */
export function isComplete({ name, address, start, since }: Draft): boolean {
  return name.trim() !== '' && address.trim() !== '' && (start !== 'since' || since.day !== '');
}

export function toStart({ start, since }: Draft): TargetStart {
  return start === 'since' ? { from: 'since', moment: formatMoment(since) } : { from: start };
}
