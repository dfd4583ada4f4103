import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';

import { exampleQuery, withSelections } from './exampleQuery';

test('an example asks for what needs no arguments', () => {
  const schema = buildSchema(`
    type Query { one(code: String!): Order  orders(limit: Int = 5): Page! }
    type Page { total: Int! items: [Order!]! }
    type Order { code: String! old: String @deprecated  area(kind: Int!): String  station: Station }
    type Station { code: String! }`);
  expect(exampleQuery(schema)).toBe('query Example {\n  orders {\n    total\n    items {\n      code\n    }\n  }\n}\n');
  expect(exampleQuery(buildSchema('type Query { a: Int }'))).toBeNull();
});

test('a field without a selection gets one', () => {
  const schema = buildSchema(`
    type Query { orders: Page! total: Int! }
    type Page { total: Int! items: [Order!]! }
    type Order { code: String! area(kind: Int!): String station: Station }
    interface Station { code: String! }`);
  expect(withSelections(schema, '{ total orders }')).toBe('{ total orders {\n  total\n} }');
  expect(withSelections(schema, 'query Q {\n  orders {\n    items\n    total\n  }\n}')).toBe(
    'query Q {\n  orders {\n    items {\n      code\n    }\n    total\n  }\n}',
  );
  expect(withSelections(schema, '{ orders { items { station } } }')).toContain('station {\n  code\n}');
  for (const same of ['{ orders { total } }', '{ nope }', '{ orders {']) expect(withSelections(schema, same)).toBe(same);
});
