import path from 'node:path';
import { expect, test } from 'vitest';

import { sourceFiles } from '@/test/sources';

const colorLiteral = /#[0-9a-f]{3,8}\b|\b(?:rgb|rgba|hsl|hsla|oklch|lab)\(/iu;

test('colour literals stand in the token file alone', () => {
  const found = sourceFiles('.css', '.ts', '.tsx').filter(
    ({ file, text }) => file !== 'base/style/tokens.css' && text.split('\n').some((line) => colorLiteral.test(line)),
  );
  expect(found.map(({ file }) => file)).toEqual([]);
});

test('an import has one site: its steps ask importSite alone which', () => {
  const steps = sourceFiles('.ts', '.tsx').filter(({ file }) => file.startsWith('features/import/'));
  const filesWithSelectedSite = steps.filter(({ text }) => /\buseSite\b|\bchosen\b.*\bsites?\b/u.test(text)).map(({ file }) => file);
  // On the start page, there is no import yet.
  expect(filesWithSelectedSite.toSorted()).toEqual(['features/import/common/importSite.ts', 'features/import/start/StartPage.tsx']);
});

test('every table has a name for a screen reader', () => {
  const found = sourceFiles('.tsx').filter(({ text }) => [...text.matchAll(/<table[^>]*>/gu)].some(([tag]) => !tag.includes('aria-label')));
  expect(found.map(({ file }) => file)).toEqual([]);
});

test('no address outside this computer is loaded', () => {
  const found = sourceFiles('.css', '.tsx').filter(({ text }) => /(?:url\(|src=|href=)["']?https?:/u.test(text));
  expect(found.map(({ file }) => file)).toEqual([]);
});

test('features use each other in one direction, and so do folders', () => {
  const feature = (place = '') => /^features\/[^/]+/u.exec(place)?.[0];
  expect(findCycles(folderImports().map((one) => one.map((place) => feature(place))))).toEqual([]);
  expect(findCycles(folderImports())).toEqual([]);
});

test('query keys stand in one file', () => {
  const found = sourceFiles('.ts', '.tsx').filter(({ file, text }) => file !== 'base/queryKeys.ts' && /\bqueryKey: ?\[|(?:QueryData|Queries)(?:<[^(]*>)?\(\s*\[/u.test(text));
  expect(found.map(({ file }) => file)).toEqual([]);
});

/** Returns pairs of a file's folder and a folder that it imports from. */
function folderImports(): (string | undefined)[][] {
  return sourceFiles('.ts', '.tsx').flatMap(({ file, text }) => {
    const folder = path.posix.dirname(file);
    return [...text.matchAll(/\b(?:from |import )'((?:@\/|\.)[^']+)'/gu)].map(([, name = '']) => {
      const target = name.startsWith('@/') ? name.slice(2) : path.posix.join(folder, name);
      return [folder, /^features\/[^/]+$/u.test(target) ? target : path.posix.dirname(target)];
    });
  });
}

/** Returns the pairs that are part of a cycle, or that connect two cycles. */
function findCycles(pairs: readonly (readonly (string | undefined)[])[]): string[] {
  let remaining = pairs.filter(([user, used]) => user && used && user !== used);
  let before = 0;
  while (remaining.length !== before) {
    before = remaining.length;
    const [users, used] = [new Set(remaining.map(([one]) => one)), new Set(remaining.map(([, one]) => one))];
    remaining = remaining.filter(([one, other]) => used.has(one) && users.has(other));
  }
  return [...new Set(remaining.map(([user, used]) => `${user} > ${used}`))];
}
