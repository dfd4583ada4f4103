import type { OrderEvent, OrderSubmission, RowResult } from '@/ipc/bindings';

/** The results of rows that were sent. */
const SENT_RESULTS: ReadonlySet<RowResult> = new Set(['accepted', 'rejected', 'unconfirmed', 'sending']);

/** A period in which an operation was running or paused. */
type Period = { operation: string; state: 'running' | 'paused'; from: number; to: number; open: boolean };

/** An entry of the timeline: an event or a submission. */
export type TimelineEntry = { at: number; key: string } & ({ kind: 'event'; event: OrderEvent } | { kind: 'sent'; sent: OrderSubmission });

/** Returns the running and paused periods. Events that arrived late are ignored. */
export function periodsOf(events: readonly OrderEvent[], now: number): Period[] {
  const result: Period[] = [];
  const open = new Map<string, Period>();
  for (const event of sortEvents(events)) {
    if (event.late || event.turn === null || event.turn === 'alert') continue;
    const at = Date.parse(event.at);
    const before = open.get(event.operation);
    if (before && before.state === event.turn) continue;
    if (before) {
      before.to = Math.max(before.from, at);
      before.open = false;
      open.delete(event.operation);
    }
    if (event.turn === 'running' || event.turn === 'paused') {
      const next: Period = { operation: event.operation, state: event.turn, from: at, to: Math.max(at, now), open: true };
      open.set(event.operation, next);
      result.push(next);
    }
  }
  return result;
}

/** Returns the submissions that sent rows of the order, with these rows. Skipped and pending rows weren't sent. */
export function submissionsWithSentRows(submissions: readonly OrderSubmission[]): OrderSubmission[] {
  return submissions
    .map(({ submission, rows }) => ({ submission, rows: rows.filter(({ result }) => SENT_RESULTS.has(result)) }))
    .filter((one) => one.rows.length > 0);
}

/** Returns all entries, latest first. */
export function timelineEntries(events: readonly OrderEvent[], sent: readonly OrderSubmission[]): TimelineEntry[] {
  const all: TimelineEntry[] = [
    ...events.map((event) => ({ kind: 'event' as const, at: Date.parse(event.at), key: `${event.line.id}·${event.operation}`, event })),
    ...sent.map((one) => ({ kind: 'sent' as const, at: Date.parse(one.submission.started), key: `sent·${one.submission.id}`, sent: one })),
  ];
  return all.toSorted((a, b) => b.at - a.at || (a.kind === 'event' && b.kind === 'event' ? b.event.line.id - a.event.line.id : 0));
}

/** Sorts events by time, then by arrival. */
function sortEvents(events: readonly OrderEvent[]): OrderEvent[] {
  return events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.line.id - b.line.id);
}
