import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';

import { exampleQuery } from './exampleQuery';

test('an example asks for what needs no arguments', () => {
  const schema = buildSchema(`
    type Query { one(code: String!): Order  orders(limit: Int = 5): Page! }
    type Page { total: Int! items: [Order!]! }
    type Order { code: String! old: String @deprecated  area(kind: Int!): String  station: Station }
    type Station { code: String! }`);
  expect(exampleQuery(schema)).toBe('query Example {\n  orders {\n    total\n    items {\n      code\n    }\n  }\n}\n');
  expect(exampleQuery(buildSchema('type Query { a: Int }'))).toBeNull();
});
