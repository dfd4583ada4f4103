import { expect, test } from 'vitest';

import { continueSeries } from './continueSeries';

test('numbers, codes and days count on as in Excel', () => {
  expect(continueSeries(['10', '20'], 3)).toEqual(['30', '40', '50']);
  expect(continueSeries(['010', '020'], 2)).toEqual(['030', '040']);
  expect(continueSeries(['3', '2'], 4)).toEqual(['1', '0', '-1', '-2']);
  expect(continueSeries(['1,5', '3,0'], 2)).toEqual(['4,5', '6,0']);
  expect(continueSeries(['WO-270016', 'WO-270017'], 2)).toEqual(['WO-270018', 'WO-270019']);
  expect(continueSeries(['L 9', 'L 10'], 1)).toEqual(['L 11']);
  expect(continueSeries(['2026-11-29', '2026-11-30'], 2)).toEqual(['2026-12-01', '2026-12-02']);
  expect(continueSeries(['30.12.2026', '31.12.2026'], 1)).toEqual(['01.01.2027']);
  expect(continueSeries(['28.2.2027', '7.3.2027'], 1)).toEqual(['14.3.2027']);
});

test('one cell, equal cells, uneven cells and what may be read in two ways are copied', () => {
  for (const texts of [['10'], ['10', '10'], ['1', '2', '4'], ['A', 'B'], ['08:10', '08:20'], ['03/02/2027', '03/03/2027'], ['', '1'], ['A-2', 'B-3']])
    expect(continueSeries(texts, 2)).toBeNull();
  expect(continueSeries(['WO-2', 'WO-1'], 3)).toBeNull();
});
