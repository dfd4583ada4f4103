import type { MatchChoice, MatchTarget, OperationMatch } from '@/ipc/bindings';

/** From this score on a match is called certain. */
const CERTAIN = 0.8;

/** How sure a match is, in a word. */
export type MatchWord = 'chosen' | 'certain' | 'likely' | 'check' | 'missing';

export function matchWord({ decision, best }: OperationMatch): MatchWord {
  if (decision === 'missing' || !best) return 'missing';
  if (decision === 'ask') return 'check';
  if (best.reasons.includes('hand')) return 'chosen';
  return (best.score ?? 0) >= CERTAIN ? 'certain' : 'likely';
}

/** The choices with one more; the one that was made last counts where two name the same. */
export function withChoice(choices: readonly MatchChoice[], choice: MatchChoice): MatchChoice[] {
  return [...choices.filter(({ operation }) => operation !== choice.operation), choice];
}

/** `GET /path`: one text for each of the document's operations. */
export function targetText({ method, path }: MatchTarget): string {
  return `${method} ${path}`;
}
