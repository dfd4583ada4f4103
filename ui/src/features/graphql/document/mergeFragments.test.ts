import { buildSchema, parse, print } from 'graphql';
import { expect, test } from 'vitest';

import { mergeFragments } from './mergeFragments';

const schema = buildSchema(`
  type Query { order: Order! thing: Thing }
  type Order { code: String! note: String station: Station }
  type Station { code: String! area: String }
  union Thing = Order | Station`);
const normalize = (query: string) => print(parse(query));

test.each([
  [
    'a fragment stands where it is used, and fields once',
    'query Q { order { code ...Rest ...Rest } } fragment Rest on Order { code note station { code ...Area } } fragment Area on Station { area }',
    'query Q { order { code note station { code area } } }',
  ],
  ['selections of one field are joined', '{ order { station { code } ...S } } fragment S on Order { station { area code } }', '{ order { station { code area } } }'],
  ['another type stays a condition', '{ thing { ...O } } fragment O on Order { code ...N } fragment N on Order { note }', '{ thing { ... on Order { code note } } }'],
  ['a directive stays', '{ order { code ...N @skip(if: true) code @include(if: true) } } fragment N on Order { note }', '{ order { code ... on Order @skip(if: true) { note } code @include(if: true) } }'],
  ['an unknown fragment stays', '{ order { ...Nope } }', '{ order { ...Nope } }'],
])('%s', (_, query, merged) => {
  expect(mergeFragments(schema, query)).toBe(normalize(merged));
});

test.each(['{ order {', '{ order { ...A } } fragment A on Order { code ...A }', '{ order { ...A } } fragment A on Order { station { ...B } } fragment B on Station { order { ...A } }'])(
  '%j stays as it is',
  (query) => {
    expect(mergeFragments(schema, query)).toBe(query);
  },
);

test('without a schema a condition stays', () => {
  expect(mergeFragments(null, '{ order { ...A } } fragment A on Order { code }')).toBe(normalize('{ order { ... on Order { code } } }'));
});
