import { describe, expect, it } from 'vitest';

import type { EventLine, EventOutcome, OrderEvent, OrderSubmission, RowResult } from '@/ipc/bindings';
import { periodsOf, submissionsWithSentRows, timelineEntries } from './timeline';

function event(id: number, minute: number, turn: EventOutcome | null, late = false): OrderEvent {
  const line: EventLine = {
    id, site: 's', received: '', state: 'sound', kind: null, name: null, names: null, station: null, stationName: null, employee: null,
    person: null, description: null, order: 'WO-1', orders: 1, signed: 'unchecked', replay: false, copies: 0, allowed: null, answeredBy: null,
  };
  return { line, at: new Date(minute * 60_000).toISOString(), operation: '10', turn, late, good: null, bad: null };
}

describe('an order by its events', () => {
  it('runs and pauses until something else is told', () => {
    const way = [event(1, 0, 'planned'), event(2, 1, 'running'), event(3, 5, null), event(4, 10, 'paused'), event(5, 12, 'running')];
    const result = periodsOf(way, 20 * 60_000);
    expect(result.map(({ state, from, to, open }) => [state, from / 60_000, to / 60_000, open])).toEqual([
      ['running', 1, 10, false],
      ['paused', 10, 12, false],
      ['running', 12, 20, true],
    ]);
  });

  it('ends, begins again, and takes no notice of what came late', () => {
    const way = [event(1, 1, 'running'), event(2, 3, 'ended'), event(3, 2, 'paused', true), event(4, 4, 'running'), event(5, 5, 'planned')];
    expect(periodsOf(way, 20 * 60_000).map(({ from, to, open }) => [from / 60_000, to / 60_000, open])).toEqual([
      [1, 3, false],
      [4, 5, false],
    ]);
  });

  it('is told latest first', () => {
    const way = timelineEntries([event(1, 1, 'running'), event(2, 1, 'paused'), event(3, 0, null)], []);
    expect(way.map((one) => one.key)).toEqual(['2·10', '1·10', '3·10']);
  });

  it('names the rows that were sent, and no submission that only skipped the order', () => {
    const sent = (id: number, ...results: RowResult[]) =>
      ({ submission: { id, started: '2026-11-30T08:00:00Z' }, rows: results.map((result, row) => ({ sheet: 'Orders', row, key: 'WO-1', result })) }) as OrderSubmission;
    const submissions = submissionsWithSentRows([sent(1, 'skipped'), sent(2, 'pending'), sent(3, 'accepted', 'skipped', 'rejected'), sent(4, 'unconfirmed')]);
    expect(submissions.map((one) => [one.submission.id, one.rows.map(({ result }) => result)])).toEqual([
      [3, ['accepted', 'rejected']],
      [4, ['unconfirmed']],
    ]);
  });
});
