import { expect, test } from 'vitest';

import { EMPTY_FILTER, toEventQuery, toFilterKey, toEventFilter, isEmptyFilter } from './eventFilter';

test('what is looked for is remembered without what a person left empty', () => {
  expect(isEmptyFilter(toEventFilter({}))).toBe(true);
  expect(isEmptyFilter({ ...EMPTY_FILTER, order: '  ' })).toBe(true);
  expect(toFilterKey({ ...EMPTY_FILTER, order: ' WO-1 ' })).toBe(toFilterKey({ ...EMPTY_FILTER, order: 'WO-1' }));
  expect(toEventQuery({ ...EMPTY_FILTER, station: ' WS-04' }, 'practice', 7)).toMatchObject({ station: 'WS-04', order: null, site: 'practice', upTo: 7 });
});

