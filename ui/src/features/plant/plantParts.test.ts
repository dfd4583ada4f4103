import { expect, test } from 'vitest';

import type { Value } from '@/ipc/bindings';
import en from '@/locales/en.json';
import { plantOrder } from '@/test/samples';
import contract from '../../../../src-tauri/crates/takt-contract/contract/takt.openapi.json';
import { happened, minutesUntil, nextMorning, planned, timeOfDay, wall } from './common/clock';
import { furtherMoves, mainMove, progress, standing } from './floor/moves';
import { eventNames } from './side/eventNames';
import { faultKinds, percent, readFaults, writeFaults } from './side/faults';

const at = (text: string) => wall(text) ?? Number.NaN;
const said = { weekday: () => 'Mon', date: () => '30 Nov' };

test("the plant's time is never shifted by the computer's time zone", () => {
  expect(timeOfDay(at('2026-03-29T02:30:09.123456789'))).toBe('02:30:09');
  expect(timeOfDay(at('2026-11-21T23:59'))).toBe('23:59:00');
  expect(wall('tomorrow')).toBeNull();
});

test('a plan says as little as is needed', () => {
  const now = at('2026-11-21T14:05:09');
  expect(planned('2026-11-21T06:00:00', now, said)).toBe('06:00');
  expect(planned('2026-11-22T00:00:00', now, said)).toBe('Mon 00:00');
  expect(planned('2026-11-27T23:00:00', now, said)).toBe('Mon 23:00');
  expect(planned('2026-11-28T00:00:00', now, said)).toBe('30 Nov');
  expect(planned('2026-11-20T23:00:00', now, said)).toBe('30 Nov');
  expect(happened('2026-11-20T23:00:00Z', now, said)).toBe('30 Nov 23:00');
  expect(happened('2026-11-21T00:07:00', now, said)).toBe('00:07');
  expect(planned('soon', now, said)).toBe('soon');
});

test('the next morning is ahead and on a working day, and never reached too early', () => {
  const ahead = (now: string) => minutesUntil(nextMorning(at(now)), at(now)) / 60;
  expect(ahead('2026-11-20T05:00:00')).toBe(1);
  expect(ahead('2026-11-19T06:00:00')).toBe(24);
  // 2026-11-20 is a Friday.
  expect(ahead('2026-11-20T06:00:00')).toBe(72);
  expect(ahead('2026-11-21T05:59:30')).toBeCloseTo(48 + 1 / 60);
  expect(ahead('2026-11-22T23:00:00')).toBe(7);
});

test('faults are read as the plant writes them, and written so that it reads them', () => {
  const faults = readFaults(['error-500:0.1', 'stall:1', 'latency=50', 'latency=20']);
  expect(faults).toEqual({ odds: { 'error-500': 0.1, stall: 1 }, latency: 70 });
  expect(writeFaults(faults)).toEqual(['error-500:0.1', 'stall:1', 'latency=70']);
  expect(writeFaults({ odds: { truncate: 0 }, latency: 0 })).toEqual([]);
  expect(readFaults(['truncate']).odds.truncate).toBe(1);
});

test('every share of a hundred survives the way to the plant and back', () => {
  for (let share = 1; share <= 10_000; share += 1) {
    const [text = ''] = writeFaults({ odds: { stall: share / 100 / 100 }, latency: 0 });
    expect(percent(readFaults([text]).odds.stall ?? 0)).toBe(share / 100);
  }
});

test('every fault has its sentence, and no sentence lacks its fault', () => {
  expect([...faultKinds].toSorted()).toEqual(Object.keys(en.faults).toSorted());
});

test('the moves fit the state', () => {
  expect(mainMove(plantOrder())).toBe('begin');
  const running = plantOrder({ statusDescription: 'In execution', producedGoodQuantity: 250 });
  expect([mainMove(running), furtherMoves(running), progress(running)]).toEqual(['pause', ['end', 'reset'], 1]);
  expect(mainMove(plantOrder({ statusDescription: 'Paused' }))).toBe('resume');
  const unheard = plantOrder({ statusDescription: 'Waiting for a crane', requestedQuantity: 0 });
  expect([standing(unheard), mainMove(unheard), furtherMoves(unheard), progress(unheard)]).toEqual(['other', null, [], 0]);
});

test('the twelve events have their names from the contract', () => {
  const events = eventNames(contract as unknown as Value);
  expect(events.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  expect(events[2]?.names.de).toBe('Produktion begonnen');
  expect(eventNames(null)).toEqual([]);
});
