import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { root, sourceFiles } from '@/test/sources';
import { tokens as named } from './tokens';

const tokenSheet = readFileSync(path.join(root, 'base/style/tokens.css'), 'utf8');
const light = parseTokens(/:root \{([^}]*)\}/u);
const looks = {
  light,
  dark: { ...light, ...parseTokens(/:root\[data-look='dark'\] \{([^}]*)\}/u) },
  contrast: { ...light, ...parseTokens(/:root\[data-look='contrast'\] \{([^}]*)\}/u) },
};

const TEXT_TOKENS = ['text', 'muted', 'accent', 'good', 'bad', 'unconfirmed', 'quiet', 'note', 'production'];
const pairs = [
  ...TEXT_TOKENS.flatMap((ink) => [
    [ink, 'ground'],
    [ink, 'surface'],
  ]),
  ['text', 'sunk'],
  ['muted', 'sunk'],
  ['text', 'accent-soft'],
  ['muted', 'accent-soft'],
  ['accent', 'accent-soft'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['on-bad', 'bad'],
  ['on-bad', 'bad-strong'],
];

describe.each(Object.entries(looks))('%s', (_, look) => {
  test.each(pairs)('%s on %s can be read', (ink, ground) => {
    expect(contrast(luminance(look, ink ?? ''), luminance(look, ground ?? ''))).toBeGreaterThanOrEqual(4.5);
  });
});

const PILL_TOKENS = ['good', 'bad', 'unconfirmed', 'accent'];
const tints = {
  light: parseTint(/:root \{([^}]*)\}/u),
  dark: parseTint(/:root\[data-look='dark'\] \{([^}]*)\}/u),
  contrast: parseTint(/:root\[data-look='contrast'\] \{([^}]*)\}/u),
};

describe.each(Object.entries(looks))('status pills, %s', (look, colors) => {
  test.each(PILL_TOKENS)('%s on its tint can be read', (ink) => {
    const tint = tints[look as keyof typeof tints];
    const ground = mixedLuminance(colors, ink, tint);
    expect(contrast(luminance(colors, ink), ground)).toBeGreaterThanOrEqual(4.5);
  });
});

test('every token that is drawn with is defined', () => {
  const defined = new Set([...tokenSheet.matchAll(/^ {2}--takt-([\w-]+):/gmu)].map(([, name]) => name));
  const inStyles = sourceFiles('.css', '.ts', '.tsx').flatMap(({ file, text: source }) =>
    [...source.matchAll(/var\(--takt-([\w-]+)/gu)].map(([, name]) => ({ file, name })),
  );
  const used = [...inStyles, ...named.map((name) => ({ file: 'base/style/tokens.ts', name }))];
  expect(used.length).toBeGreaterThan(500);
  expect(used.filter(({ name }) => !defined.has(name))).toEqual([]);
});

function parseTokens(block: RegExp): Record<string, string> {
  const body = block.exec(tokenSheet)?.[1] ?? '';
  return Object.fromEntries([...body.matchAll(/--takt-([\w-]+):\s*(#[0-9a-f]{6});/gu)].map(([, name, value]) => [name, value]));
}

/** Returns the share of a color in its tinted ground. */
function parseTint(block: RegExp): number {
  const percent = /--takt-tint:\s*(\d+)%;/u.exec(block.exec(tokenSheet)?.[1] ?? '')?.[1];
  if (!percent) throw new Error('no tint');
  return Number(percent) / 100;
}

function channels(look: Record<string, string>, name: string): number[] {
  const value = look[name];
  if (!value) throw new Error(`no colour ${name}`);
  return [1, 3, 5].map((at) => Number.parseInt(value.slice(at, at + 2), 16) / 255);
}

/** Returns the luminance of the ground with a share of a color, as `color-mix` in sRGB draws it. */
function mixedLuminance(look: Record<string, string>, name: string, share: number): number {
  const ground = channels(look, 'ground');
  return luminanceOf(channels(look, name).map((part, at) => part * share + (ground[at] ?? 0) * (1 - share)));
}

function luminance(look: Record<string, string>, name: string): number {
  return luminanceOf(channels(look, name));
}

function luminanceOf(parts: number[]): number {
  const [red = 0, green = 0, blue = 0] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(first: number, second: number): number {
  return (Math.max(first, second) + 0.05) / (Math.min(first, second) + 0.05);
}
