import type { ForwardTarget, TargetStart, TargetWish } from '../../ipc/bindings';

/** A header as it is typed; an empty value keeps the one that is there. */
export type Header = { key: number; name: string; value: string; kept: boolean };

export const starts = ['now', 'beginning', 'since'] as const;
export type Start = (typeof starts)[number];

/** What a person types about a target. */
export type Draft = {
  name: string;
  address: string;
  kinds: string[];
  headers: Header[];
  secret: string;
  /** A secret that is there is taken away. */
  unsigned: boolean;
  start: Start;
  /** A day and a time as a clock at the site shows them. */
  since: string;
};

export function draftOf(target: ForwardTarget | undefined): Draft {
  return {
    name: target?.name ?? '',
    address: target?.address ?? '',
    kinds: target?.kinds.map(String) ?? [],
    headers: target?.headers.map((name, key) => ({ key, name, value: '', kept: true })) ?? [],
    secret: '',
    unsigned: false,
    start: 'now',
    since: '',
  };
}

/** A key that no header has. */
export function next(headers: readonly Header[]): number {
  return Math.max(-1, ...headers.map(({ key }) => key)) + 1;
}

export function wishOf({ name, address, kinds, headers, secret, unsigned }: Draft): TargetWish {
  return {
    name: name.trim(),
    address: address.trim(),
    kinds: kinds.map(Number),
    headers: headers.map((header) => [header.name.trim(), header.value]),
    secret: unsigned ? '' : secret || null,
  };
}

/** A time that isn't said yet means from now on. */
export function startOf({ start, since }: Draft): TargetStart {
  if (start === 'since') return since === '' ? { from: 'now' } : { from: 'since', moment: since };
  return { from: start };
}

/** Others can read on the way what is sent there. */
export function isOpen(address: string): boolean {
  const url = URL.parse(address.trim());
  return url?.protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(url.hostname);
}
