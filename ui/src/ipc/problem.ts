import type { Problem } from './bindings';

/** Converts a rejection to a problem. A rejection that isn't a problem is a bug in Takt. */
export function toProblem(cause: unknown): Problem {
  if (isProblem(cause)) return cause;
  const details = cause instanceof Error ? cause.message : String(cause);
  return { code: 'bug', message: '', hint: '', parameters: {}, reasons: [], logId: null, details };
}

function isProblem(cause: unknown): cause is Problem {
  return typeof cause === 'object' && cause !== null && 'code' in cause && 'reasons' in cause;
}
