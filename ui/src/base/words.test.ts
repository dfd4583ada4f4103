import { describe, expect, test } from 'vitest';

import de from '@/locales/de.json';
import en from '@/locales/en.json';
import es from '@/locales/es.json';
import pt from '@/locales/pt.json';
import { sourceFiles } from '@/test/sources';
import engineDe from '../../../src-tauri/crates/takt-core/locales/de.json';
import engineEn from '../../../src-tauri/crates/takt-core/locales/en.json';
import engineEs from '../../../src-tauri/crates/takt-core/locales/es.json';
import enginePt from '../../../src-tauri/crates/takt-core/locales/pt.json';

const englishTexts = flattenTexts(en);
const sourceFilesWithTexts = sourceFiles('.ts', '.tsx').filter(({ file }) => !file.startsWith('ipc/'));

describe.each([
  ['de', flattenTexts(de)],
  ['es', flattenTexts(es)],
  ['pt', flattenTexts(pt)],
] as const)('%s', (_, words) => {
  test('has the same keys as English', () => {
    expect([...words.keys()].toSorted()).toEqual([...englishTexts.keys()].toSorted());
  });

  test('names the same things in each text', () => {
    for (const [key, text] of englishTexts) expect([key, placeholdersOf(words.get(key) ?? '')]).toEqual([key, placeholdersOf(text)]);
  });

  test('has no empty text', () => {
    expect([...words].filter(([, text]) => text.trim() === '')).toEqual([]);
  });
});

test('every key that is used exists', () => {
  const missing = usedKeys().filter(({ key }) => !isDefined(key));
  expect(missing).toEqual([]);
});

test('every key that exists is used', () => {
  const usedNames = new Set(usedKeys().map(({ key }) => key));
  const keyPrefixes = sourceFilesWithTexts.flatMap(({ text }) => [...text.matchAll(/`([a-zA-Z]+(?:\.[a-zA-Z]+)*\.)\$\{/gu)].map(([, start]) => start ?? ''));
  const unusedKeys = [...englishTexts.keys()]
    .map((key) => key.replace(/_(?:one|other)$/u, ''))
    .filter((key) => !usedNames.has(key) && !keyPrefixes.some((start) => key.startsWith(start)));
  expect([...new Set(unusedKeys)]).toEqual([]);
});

test('the engine has every kind of finding, result and severity that the window names, in each language', () => {
  for (const engine of [engineEn, engineDe, engineEs, enginePt]) {
    expect(Object.keys(engine.finding).toSorted()).toEqual(Object.keys(en.kinds).toSorted());
    expect(Object.keys(engine.result)).toHaveLength(6);
    expect(Object.keys(engine.severity)).toHaveLength(3);
  }
});

test('what is counted is said in the singular, too', () => {
  const counted =
    /\}\} (?:\w+ )?(?:rows|columns|requests|events|orders|links|templates|fields|cells|values|sheets|batches|processes|operations|times|files)\b/u;
  // Keys whose number needs no plural forms: a selection of several, a limit, a rate, a part of a file's name, a speed.
  const keysWithoutNumberForms = new Set(['fix.selected', 'fix.tooMany', 'submission.rate', 'table.printedPart', 'plant.run']);
  const keysWithoutPlural = [...englishTexts].filter(([key, text]) => counted.test(text) && !/_(?:one|other)$/u.test(key) && !keysWithoutNumberForms.has(key));
  expect(keysWithoutPlural.map(([key]) => key)).toEqual([]);
  const forms = [...englishTexts.keys()].filter((key) => key.endsWith('_other')).map((key) => key.replace(/_other$/u, '_one'));
  expect(forms.filter((key) => !englishTexts.has(key))).toEqual([]);
});

function usedKeys(): { file: string; key: string }[] {
  return sourceFilesWithTexts.flatMap(({ file, text }) => {
    const quoted = [...text.matchAll(/'([a-zA-Z]+(?:\.[\w-]+)+)'/gu)].map(([, key]) => key ?? '');
    const keys = [...text.matchAll(/\bt\(\s*'([^']+)'/gu)].map(([, key]) => key ?? '');
    // A key that a condition selects is a quoted text without `t(` before it.
    const sections = new Set(Object.keys(en));
    const chosen = quoted.filter((key) => sections.has(key.split('.')[0] ?? '') && isDefined(key));
    return [...keys, ...chosen].map((key) => ({ file, key }));
  });
}

function isDefined(key: string): boolean {
  return englishTexts.has(key) || englishTexts.has(`${key}_other`);
}

function placeholdersOf(text: string): string[] {
  return [...new Set([...text.matchAll(/\{\{(\w+)/gu)].map(([, name]) => name ?? ''))].toSorted();
}

function flattenTexts(words: object, before = ''): Map<string, string> {
  const byText = new Map<string, string>();
  for (const [key, value] of Object.entries(words) as [string, unknown][]) {
    if (typeof value === 'string') byText.set(before + key, value);
    else if (typeof value === 'object' && value !== null) {
      for (const [inner, text] of flattenTexts(value, `${before}${key}.`)) byText.set(inner, text);
    }
  }
  return byText;
}
