import { expect, test } from 'vitest';

import { templatesView } from '@/test/templateSamples';
import { facetBit, linkKey, linkRows, buildMatrix, filterByFacet, tickKey, withLinks, changeTicks } from './links';

test('columns become rows, each with its template, its process and its facets', () => {
  const view = templatesView();
  const rows = linkRows(view);
  expect(rows.map(({ key }) => key)).toEqual([tickKey(1, 'A'), tickKey(1, 'B'), tickKey(1, 'B'), tickKey(3, 'B')]);
  expect(rows.map(({ labor }) => labor)).toEqual([60, null, null, 90]);
  expect(filterByFacet(rows, facetBit(view, 'twice')).map(({ at }) => at)).toEqual([1, 2]);
  expect(filterByFacet(rows, facetBit(view, 'noTime')).map(({ at }) => at)).toEqual([1]);
  expect(facetBit(view, 'unused')).toBe(0);
  expect(filterByFacet(rows, 0)).toEqual([]);
});

test('a link is collected once, however often its process stands in the template', () => {
  const rows = linkRows(templatesView());
  const list = withLinks([], rows, '010');
  expect(list.map(({ templateId, processCode }) => [templateId, processCode])).toEqual([
    [1, 'A'],
    [1, 'B'],
    [3, 'B'],
  ]);
  expect(list[0]).toMatchObject({ operationCode: '010', description: 'cut', laborSeconds: 60, machineSeconds: null });
  expect(withLinks(list, rows, '010')).toEqual(list);
  expect(withLinks(list, rows, '020')).toHaveLength(6);
});

test('ticks are set and taken away together, and others stay', () => {
  const rows = linkRows(templatesView());
  const all = changeTicks(new Set(['other']), rows, true);
  expect(all.size).toBe(4);
  expect([...changeTicks(all, rows.slice(0, 1), false)].toSorted()).toEqual([tickKey(1, 'B'), tickKey(3, 'B'), 'other'].toSorted());
});

test('the matrix keeps templates without processes, and with a filter only what belongs to it', () => {
  const view = templatesView();
  const rows = linkRows(view);
  const fullMatrix = buildMatrix(view, rows);
  expect(fullMatrix.lines.map(({ template }) => template.id)).toEqual([1, 2, 3]);
  expect(fullMatrix.lines[0]?.linksByProcess.get('B')).toHaveLength(2);
  expect(fullMatrix.columns.map(({ code }) => code)).toEqual(['A', 'B']);
  const part = buildMatrix(view, filterByFacet(rows, facetBit(view, 'noTime')));
  expect(part.lines.map(({ template }) => template.id)).toEqual([1]);
  expect(part.columns.map(({ code }) => code)).toEqual(['B']);
});

test("codes may hold any character: a link's key can't be forged by a separator in one of them", () => {
  const known = { templateId: 1, description: '', laborSeconds: null, machineSeconds: null };
  expect(linkKey({ ...known, processCode: 'a","b', operationCode: 'c' })).not.toBe(
    linkKey({ ...known, processCode: 'a', operationCode: 'b","c' }),
  );
});
