/** The simulated faults, grouped by their effect on the sent rows. */
export const FAULTS_BY_GROUP = {
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

type FaultGroup = keyof typeof FAULTS_BY_GROUP;
export type FaultKind = (typeof FAULTS_BY_GROUP)[FaultGroup][number];

export const FAULT_GROUPS = Object.keys(FAULTS_BY_GROUP) as FaultGroup[];
export const FAULT_KINDS: readonly FaultKind[] = FAULT_GROUPS.flatMap((group): readonly FaultKind[] => FAULTS_BY_GROUP[group]);

/** The active faults. `odds` are probabilities from 0 to 1, and `latency` is in milliseconds. */
type Faults = { odds: Partial<Record<FaultKind, number>>; latency: number };

/** Parses the plant's notation: `error-500:0.1`, `error-500`, `latency=50`. */
export function parseFaults(texts: readonly string[]): Faults {
  const read: Faults = { odds: {}, latency: 0 };
  for (const text of texts) {
    const [, milliseconds] = /^latency=(\d+)$/u.exec(text) ?? [];
    const [name, odds = '1'] = text.split(':');
    const kind = FAULT_KINDS.find((faultKind) => faultKind === name);
    if (milliseconds) read.latency += Number(milliseconds);
    else if (kind) read.odds[kind] = Number(odds);
  }
  return read;
}

/** Formats the plant's notation. Faults with probability 0 are omitted. */
export function formatFaults({ odds, latency }: Faults): string[] {
  const written = FAULT_KINDS.filter((kind) => (odds[kind] ?? 0) > 0).map((kind) => `${kind}:${odds[kind]}`);
  return latency > 0 ? [...written, `latency=${latency}`] : written;
}

/** Converts a probability to percent, rounded to two decimals. */
export function toPercent(odds: number): number {
  return Math.round(odds * 10_000) / 100;
}
