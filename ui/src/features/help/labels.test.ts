import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

import { listFiles, root } from '@/test/sources';

const project = path.resolve(root, '../..');

/** Returns the texts of a language: of the window, the engine, the practice plant and the help, and the contract's field names. */
function readTexts(language: string): string[] {
  const crates = ['core', 'plant', 'help'].map((crate) => `src-tauri/crates/takt-${crate}/locales/${language}.json`);
  const texts = [`ui/src/locales/${language}.json`, ...crates].flatMap((file) => collectTexts(readJson(file)));
  return [...texts, ...collectNames(readJson('src-tauri/crates/takt-contract/contract/takt.openapi.json'), language)];
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(path.join(project, file), 'utf8'));
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectTexts) : [];
}

function collectNames(value: unknown, language: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => (key === language && typeof member === 'string' ? [member] : collectNames(member, language)));
}

/** Returns a text without the punctuation at its end, in lower case, as sentences and headings use it. */
function normalize(text: string): string {
  return text.toLowerCase().replace(/[….:]+$/u, '');
}

/** Returns an expression for a text with placeholders. Texts that are little more than a placeholder match nothing. */
function toPattern(text: string): RegExp | null {
  const parts = text.split(/\{\{[^}]*\}\}/u);
  if (parts.length === 1 || parts.join('').trim().length < 4) return null;
  return new RegExp(`^${parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`)).join('.+')}$`, 'iu');
}

test.each(['en', 'de', 'es', 'pt'])('bold words of the help in %s are texts of the window', (language) => {
  const texts = readTexts(language);
  const known = new Set(texts.map(normalize));
  const patterns = texts.map(toPattern).filter((pattern) => pattern !== null);
  const isShown = (label: string) => known.has(normalize(label)) || patterns.some((pattern) => pattern.test(label));
  const pages = listFiles(path.join(project, 'docs/help', language));
  // Its bold texts are messages with example values.
  if (language === 'en') pages.push(path.join(project, 'docs/troubleshooting.md'));
  const unknown = pages.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/\*\*([^*\n]+)\*\*/gu)]
      .map(([, label = '']) => label)
      .filter((label) => !isShown(label))
      .map((label) => `${path.basename(file)}: ${label}`),
  );
  expect(unknown).toEqual([]);
});
