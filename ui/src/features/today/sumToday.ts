import { RESULT_ORDER } from '@/features/submission';
import type { ResultCounts, SubmissionView } from '@/ipc/bindings';

/** The results of the submissions that were started on one day. */
export type DaySum = { counts: ResultCounts; /** The number of submissions. */ sent: number };

/**
 * Sums the results of the submissions that were started on the day of `now` (in milliseconds), in this computer's time zone. An
 * undo restores what was sent, so it doesn't count.
 */
export function sumToday(submissions: readonly SubmissionView[], now: number): DaySum {
  const counts: ResultCounts = { pending: 0, sending: 0, accepted: 0, rejected: 0, unconfirmed: 0, skipped: 0 };
  const ofToday = submissions.filter((one) => one.relation !== 'undo' && new Date(one.started).toDateString() === new Date(now).toDateString());
  for (const one of ofToday) {
    for (const result of RESULT_ORDER) counts[result] += one.counts[result];
  }
  return { counts, sent: ofToday.length };
}
