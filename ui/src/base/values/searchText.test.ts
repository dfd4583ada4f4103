import { expect, it } from 'vitest';

import { matchesAll } from './searchText';

it('finds all words in any order, without case and accents', () => {
  expect(matchesAll('Idioma y apariencia', 'APARIENCIA idioma')).toBe(true);
  expect(matchesAll('Größe der Schrift', 'grosse')).toBe(false);
  expect(matchesAll('Größe der Schrift', 'große')).toBe(true);
  expect(matchesAll('Größe der Schrift', 'große passwort')).toBe(false);
  expect(matchesAll('anything', '  ')).toBe(true);
});
