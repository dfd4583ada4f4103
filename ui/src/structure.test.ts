import path from 'node:path';

import { expect, test } from 'vitest';

import { files, root, sources } from '@/test/sources';

const literal = /#[0-9a-f]{3,8}\b|\b(?:rgb|rgba|hsl|hsla|oklch|lab)\(/iu;

test('colour literals stand in the token file alone', () => {
  const found = sources('.css', '.ts', '.tsx').filter(
    ({ file, text }) => file !== 'base/style/tokens.css' && text.split('\n').some((line) => literal.test(line)),
  );
  expect(found.map(({ file }) => file)).toEqual([]);
});

test('only src/ipc knows Tauri', () => {
  const found = sources('.ts', '.tsx').filter(({ file, text }) => !file.startsWith('ipc/') && text.includes('@tauri-apps'));
  expect(found.map(({ file }) => file)).toEqual([]);
});

test('an import has one site: its steps ask importSite alone which', () => {
  const steps = sources('.ts', '.tsx').filter(({ file }) => file.startsWith('features/import/'));
  const asking = steps.filter(({ text }) => /\buseSite\b|\bchosen\b.*\bsites?\b/u.test(text)).map(({ file }) => file);
  // The first page has no import yet.
  expect(asking.toSorted()).toEqual(['features/import/common/importSite.ts', 'features/import/file/StartPage.tsx']);
});

test('no file grows beyond a screenful of screens', () => {
  const found = sources('.ts', '.tsx').filter(({ file, text }) => file !== 'ipc/bindings.ts' && text.split('\n').length > 250);
  expect(found.map(({ file }) => file)).toEqual([]);
});

test('no address outside this computer is loaded', () => {
  const found = sources('.css', '.tsx').filter(({ text }) => /(?:url\(|src=|href=)["']?https?:/u.test(text));
  expect(found.map(({ file }) => file)).toEqual([]);
});

test('features use each other in one direction', () => {
  const uses = new Map<string, Set<string>>();
  for (const { file, text } of sources('.ts', '.tsx')) {
    const [, feature] = /^features\/([^/]+)\//u.exec(file) ?? [];
    if (!feature) continue;
    const used = uses.get(feature) ?? new Set();
    for (const [, other] of text.matchAll(/'@\/features\/([^/']+)/gu)) used.add(other ?? '');
    uses.set(feature, used);
  }
  // Whoever uses nothing that is left goes; what can't go uses each other in a circle.
  let before = 0;
  while (uses.size !== before) {
    before = uses.size;
    for (const [feature, used] of uses) if (![...used].some((other) => uses.has(other))) uses.delete(feature);
  }
  expect([...uses.keys()]).toEqual([]);
});

test('a folder holds as many files as can be looked over', () => {
  const folders = files(root).map((file) => path.relative(root, path.dirname(file)));
  const full = [...new Set(folders)].filter((folder) => folders.filter((one) => one === folder).length > 25);
  expect(full).toEqual([]);
});

test('query keys stand in one file', () => {
  const found = sources('.ts', '.tsx').filter(({ file, text }) => file !== 'base/queryKeys.ts' && /\bqueryKey: ?\[|(?:QueryData|Queries)(?:<[^(]*>)?\(\s*\[/u.test(text));
  expect(found.map(({ file }) => file)).toEqual([]);
});
