import { expect, test } from 'vitest';

import { plantOrder } from '@/test/samples';
import { furtherMoves, mainMove, orderProgress, orderStatus } from './moves';

test('the moves fit the state', () => {
  expect(mainMove(plantOrder())).toBe('begin');
  const running = plantOrder({ statusDescription: 'In execution', producedGoodQuantity: 250 });
  expect([mainMove(running), furtherMoves(running), orderProgress(running)]).toEqual(['pause', ['end', 'reset'], 1]);
  expect(mainMove(plantOrder({ statusDescription: 'Paused' }))).toBe('resume');
  const unheard = plantOrder({ statusDescription: 'Waiting for a crane', requestedQuantity: 0 });
  expect([orderStatus(unheard), mainMove(unheard), furtherMoves(unheard), orderProgress(unheard)]).toEqual(['other', null, [], 0]);
});
