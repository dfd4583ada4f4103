import { expect, it } from 'vitest';

import { type ConditionList, type ValueKind, toCel, COMPARISONS, parseConditions, needsValue, EMPTY_CONDITION } from './conditions';

const kinds: Record<string, ValueKind> = {
  'order.Code': 'text',
  'order.Quantity': 'number',
  'order.Closed': 'boolean',
  'order.Begin': 'moment',
  'order.Lasts': 'duration',
  'local.time': 'clock',
};
const kindOf = (word: string) => kinds[word];
const typed: Record<ValueKind, string> = { text: 'a "b" \\ && || )', number: '-1.5', boolean: '', moment: '', duration: '90', clock: '22:00' };

it('writes each comparison as CEL and reads it again as the same line', () => {
  for (const [celName, kind] of Object.entries(kinds)) {
    for (const comparison of COMPARISONS[kind]) {
      const line = { celName, comparison, value: needsValue(comparison) ? typed[kind] : '' };
      for (const join of ['all', 'any'] as const) {
        const list: ConditionList = { join, conditions: [line, { celName: 'order.Closed', comparison: 'isTrue', value: '' }] };
        const text = toCel(list, kindOf);
        expect({ text, read: parseConditions(text, kindOf) }).toEqual({ text, read: list });
      }
    }
  }
});

it('says nothing for a line that is not complete', () => {
  const lines = [EMPTY_CONDITION, { celName: 'order.Quantity', comparison: 'above', value: 'many' } as const, { celName: 'local.time', comparison: 'below', value: '25:00' } as const];
  expect(toCel({ join: 'all', conditions: lines }, kindOf)).toBe('');
  expect(parseConditions('  ', kindOf)).toEqual({ join: 'all', conditions: [EMPTY_CONDITION] });
});

it('takes a decimal comma', () => {
  expect(toCel({ join: 'all', conditions: [{ celName: 'order.Quantity', comparison: 'above', value: '1,5' }] }, kindOf)).toBe('order.Quantity > 1.5');
});

it('leaves alone what it has no lines for', () => {
  const inexpressible = [
    'order.Code',
    'order.Code == "a" && order.Closed == true || order.Quantity > 1',
    '!(order.Closed == true)',
    'order.Unknown == "x"',
    'order.Code=="a"',
    'order.Parts.exists(p, p.Code == "x")',
    'order.Code == "a',
    'order.Quantity > 1e3',
    'order.Begin != null && order.Begin > now + duration("1h")',
  ];
  for (const text of inexpressible) expect({ text, read: parseConditions(text, kindOf) }).toEqual({ text, read: null });
});
