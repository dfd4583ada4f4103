import { expect, test } from 'vitest';

import { formatJson, formatQuery, parseVariables } from './format';

test('a query is laid out with its comments, and an unreadable one stays', async () => {
  expect(await formatQuery('query Q { # all\n a(b:1){c} }')).toBe('query Q {\n  # all\n  a(b: 1) {\n    c\n  }\n}\n');
  expect(await formatQuery('query {')).toBe('query {');
});

test('variables are laid out with their comments, and unreadable ones stay', () => {
  expect(formatJson('{"a":1, // one\n"b":[2]}')).toBe('{\n  "a": 1, // one\n  "b": [\n    2\n  ]\n}');
  expect(formatJson('{"a":')).toBe('{"a":');
  expect(formatJson('')).toBe('');
});

test('variables are read as they are typed', () => {
  expect(parseVariables('{ "limit": 40, /* no */ }')).toEqual({ limit: 40 });
  expect([parseVariables(' '), parseVariables('null'), parseVariables('{ "limit": '), parseVariables('[1]')]).toEqual([null, null, '{ "limit":', [1]]);
});
