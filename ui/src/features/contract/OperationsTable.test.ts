import { expect, test } from 'vitest';

import type { Provenance } from '@/ipc/bindings';
import { operation } from '@/test/samples';
import { assumptionsOf, operationsWithAssumptions } from './OperationsTable';
import { matchConfidence, withChoice } from './matchConfidence';

const assumed: Provenance = { level: 'assumed', source: '' };
const site: Provenance = { level: 'site', source: 'works.yaml' };

test('what is assumed is counted by statement, and the operation with the least comes first', () => {
  const half = { ...operation(), id: 'half', statements: [{ about: 'method' as const, at: '', provenance: site }, { about: 'path' as const, at: '', provenance: assumed }, { about: 'status' as const, at: '412', provenance: assumed }] };
  const whole = { ...operation(), id: 'whole', statements: half.statements.map(({ about, at }) => ({ about, at, provenance: assumed })) };
  const settled = { ...operation(), id: 'settled', provenance: site };
  expect(assumptionsOf(half)).toMatchObject({ assumed: ['path'], total: 2 });
  expect(operationsWithAssumptions([whole, settled, half]).map(({ operation: { id } }) => id)).toEqual(['half', 'whole']);
});

test('how sure a match is is said in a word', () => {
  const match = (decision: 'matched' | 'ask', score: number, reason: 'fields' | 'hand') =>
    matchConfidence({ operation: 'x', decision, best: { method: 'GET', path: '/x', score, reasons: [reason] }, runnerUp: null });
  expect([match('matched', 0.9, 'fields'), match('matched', 0.7, 'fields'), match('ask', 0.7, 'fields'), match('matched', 1, 'hand')]).toEqual(['certain', 'likely', 'check', 'chosen']);
});

test('a choice that is made again takes the place of the first', () => {
  const target = { method: 'GET', path: '/x' };
  expect(withChoice([{ operation: 'a', target }, { operation: 'b', target: null }], { operation: 'a', target: null })).toEqual([
    { operation: 'b', target: null },
    { operation: 'a', target: null },
  ]);
});
