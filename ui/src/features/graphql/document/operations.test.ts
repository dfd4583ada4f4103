import { expect, test } from 'vitest';

import { declaredVariables, queryName, operationAt, operationNames, operationToRun } from './operations';

test.each([
  ['query New { a }', 'Old', null],
  ['query New { a }', 'New', 'New'],
  ['query One { a } query Two { b }', 'Two', 'Two'],
  ['query One { a } query Two { b }', 'Old', 'One'],
  ['query One { a } query Two { b }', null, 'One'],
  ['{ a }', null, null],
  ['query {', 'Old', null],
])('of %j with the name %j, %j is run', (query, wanted, name) => {
  expect(operationToRun(query, wanted)).toBe(name);
});

test('the operation around the cursor is found', () => {
  const query = 'query One { a }\n\nquery Two { b }';
  expect([operationAt(query, 3), operationAt(query, 16), operationAt(query, 20)]).toEqual(['One', null, 'Two']);
  expect(operationAt('{ a }', 2)).toBeNull();
});

test('operations, names and variables are listed', () => {
  const query = 'query One($limit: Int!, $code: String) { a } query Two($limit: Int!) { b } fragment F on T { c }';
  expect(operationNames(query)).toEqual(['One', 'Two']);
  expect(declaredVariables(query).map(({ variable }) => variable.name.value)).toEqual(['limit', 'code']);
  expect([operationNames('query {'), declaredVariables('query {')]).toEqual([[], []]);
});

test('an unfinished query has a name already', () => {
  expect(['query Orders {', '# query Old\n{ a }', '# all\nquery New($a: Int) {', '{ a }'].map(queryName)).toEqual(['Orders', null, 'New', null]);
});
