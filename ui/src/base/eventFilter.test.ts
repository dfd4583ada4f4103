import { expect, test } from 'vitest';

import { emptyFilter, toEventQuery, toFilterKey, toEventFilter, isEmptyFilter } from './eventFilter';

test('what is looked for is remembered without what a person left empty', () => {
  expect(isEmptyFilter(toEventFilter({}))).toBe(true);
  expect(isEmptyFilter({ ...emptyFilter, order: '  ' })).toBe(true);
  expect(toFilterKey({ ...emptyFilter, order: ' WO-1 ' })).toBe(toFilterKey({ ...emptyFilter, order: 'WO-1' }));
  expect(toEventQuery({ ...emptyFilter, station: ' WS-04' }, 'practice', 7)).toMatchObject({ station: 'WS-04', order: null, site: 'practice', upTo: 7 });
});

