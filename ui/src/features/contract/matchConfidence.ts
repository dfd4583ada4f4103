import type { MatchChoice, MatchTarget, OperationMatch } from '@/ipc/bindings';

/** Minimum score of a certain match. */
const CERTAIN_SCORE = 0.8;

/** How sure a match is. `chosen` was chosen by the user, and `check` needs a choice. */
export type MatchConfidence = 'chosen' | 'certain' | 'likely' | 'check' | 'missing';

export function matchConfidence({ decision, best }: OperationMatch): MatchConfidence {
  if (decision === 'missing' || !best) return 'missing';
  if (decision === 'ask') return 'check';
  if (best.reasons.includes('hand')) return 'chosen';
  return (best.score ?? 0) >= CERTAIN_SCORE ? 'certain' : 'likely';
}

/** Adds a choice. It replaces an earlier one for the same operation. */
export function withChoice(choices: readonly MatchChoice[], choice: MatchChoice): MatchChoice[] {
  return [...choices.filter(({ operation }) => operation !== choice.operation), choice];
}

/** Formats a target as `GET /path`, which identifies the document's operation. */
export function targetText({ method, path }: MatchTarget): string {
  return `${method} ${path}`;
}
