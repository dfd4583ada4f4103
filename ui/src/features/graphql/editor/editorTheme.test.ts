import { expect, test } from 'vitest';

import { editorTheme, explorerColours, triplet } from './editorTheme';

/** No colour: digits as the document would tell them. */
const hex = (digits: string) => `#${digits}`;

test('colours are those of the tokens', () => {
  expect([triplet(hex('ffffff')), triplet(hex('000000')), triplet(hex('ff0000')), triplet(hex('0b6173'))]).toEqual([
    '0, 0%, 100%',
    '0, 0%, 0%',
    '0, 100%, 50%',
    '190, 82.5%, 24.7%',
  ]);
  const token = (name: string) => (name === 'ground' ? hex('000000') : hex('ffffff'));
  expect(explorerColours({ look: 'dark', token })['--color-base']).toBe('0, 0%, 0%');
  const theme = editorTheme({ look: 'dark', token });
  expect([theme.base, theme.colors['editor.background'], theme.rules[0]?.foreground]).toEqual(['vs-dark', hex('000000'), 'ffffff']);
});
