/** The simulated faults, grouped by their effect on the sent rows. */
export const faultGroups = {
  nothing: ['error-500', 'error-500-dev', 'drop-before-apply', 'stall'],
  limit: ['limit-429-s', 'limit-429-ms', 'limit-429-header', 'limit-429-bare'],
  applied: [
    'apply-then-drop',
    'apply-then-502',
    'truncate',
    'not-json',
    'results-missing',
    'results-reordered',
    'wrong-counts',
  ],
  some: ['reject-item'],
  signIn: ['expire-token', 'revoke-refresh', 'exact-redirect', 'demand-grant-type'],
} as const;

type FaultGroup = keyof typeof faultGroups;
export type FaultKind = (typeof faultGroups)[FaultGroup][number];

export const groups = Object.keys(faultGroups) as FaultGroup[];
export const faultKinds: readonly FaultKind[] = groups.flatMap((group): readonly FaultKind[] => faultGroups[group]);

/** The active faults. `odds` are probabilities from 0 to 1, and `latency` is in milliseconds. */
type Faults = { odds: Partial<Record<FaultKind, number>>; latency: number };

/** Parses the plant's notation: `error-500:0.1`, `error-500`, `latency=50`. */
export function readFaults(texts: readonly string[]): Faults {
  const read: Faults = { odds: {}, latency: 0 };
  for (const text of texts) {
    const [, milliseconds] = /^latency=(\d+)$/u.exec(text) ?? [];
    const [name, odds = '1'] = text.split(':');
    const kind = faultKinds.find((faultKind) => faultKind === name);
    if (milliseconds) read.latency += Number(milliseconds);
    else if (kind) read.odds[kind] = Number(odds);
  }
  return read;
}

/** Formats the plant's notation. Faults with probability 0 are omitted. */
export function writeFaults({ odds, latency }: Faults): string[] {
  const written = faultKinds.filter((kind) => (odds[kind] ?? 0) > 0).map((kind) => `${kind}:${odds[kind]}`);
  return latency > 0 ? [...written, `latency=${latency}`] : written;
}

/** Converts a probability to percent, rounded to two decimals. */
export function percent(odds: number): number {
  return Math.round(odds * 10_000) / 100;
}
