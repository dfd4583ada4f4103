/** The window's tokens as the editor wants them: it reads no custom properties. */

import type { Token } from '@/base/style/tokens';

export const themeName = 'takt';

type Ink = { token: string; foreground: string; fontStyle?: string };
type Theme = { base: 'vs' | 'vs-dark'; inherit: boolean; rules: Ink[]; colors: Record<string, string> };

/** A look, and its tokens' values: six hexadecimal digits behind a hash. */
type Tokens = { look: string; token: (name: Token) => string };

/** The tokens as they are while the document has this look, however their file was shortened. */
export function documentTokens(look: string): Tokens {
  return { look, token: drawn };
}

/** A token's colour as the document draws it. */
function drawn(name: Token): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--takt-${name})`;
  document.body.append(probe);
  const parts = getComputedStyle(probe).color.match(/\d+/gu) ?? [];
  probe.remove();
  const digits = parts.slice(0, 3).map((part) => Number(part).toString(16).padStart(2, '0'));
  return `#${digits.join('')}`;
}

/** What code is written in. */
export function editorTheme({ look, token }: Tokens): Theme {
  const ink = (name: Token, tokens: string[]): Ink[] => tokens.map((one) => ({ token: one, foreground: token(name).slice(1) }));
  return {
    base: look === 'dark' ? 'vs-dark' : 'vs',
    inherit: true,
    rules: [
      ...ink('text', ['', 'delimiter', 'operator', 'identifier']),
      ...ink('accent', ['keyword', 'key.identifier', 'string.key.json']),
      ...ink('note', ['type', 'argument.identifier', 'variable']),
      ...ink('good', ['string', 'string.value.json']),
      ...ink('unconfirmed', ['number', 'annotation', 'keyword.json']),
      ...ink('muted', ['comment']),
    ],
    colors: {
      'editor.background': token('ground'),
      'editor.foreground': token('text'),
      'editorCursor.foreground': token('text'),
      'editorLineNumber.foreground': token('muted'),
      'editorLineNumber.activeForeground': token('text'),
      'editorLineNumber.dimmedForeground': token('muted'),
      'editor.selectionBackground': token('accent-soft'),
      'editor.inactiveSelectionBackground': token('sunk'),
      'editorBracketHighlight.foreground1': token('muted'),
      'editorBracketHighlight.foreground2': token('muted'),
      'editorBracketHighlight.foreground3': token('muted'),
      'editorBracketHighlight.unexpectedBracket.foreground': token('bad'),
      'editorError.foreground': token('bad'),
      'editorWarning.foreground': token('unconfirmed'),
      'editorWidget.background': token('surface'),
      'editorWidget.foreground': token('text'),
      'editorWidget.border': token('line'),
      'editorHoverWidget.background': token('surface'),
      'editorSuggestWidget.background': token('surface'),
      'editorSuggestWidget.foreground': token('text'),
      'editorSuggestWidget.selectedBackground': token('accent-soft'),
      'editorSuggestWidget.selectedForeground': token('text'),
      'editorSuggestWidget.highlightForeground': token('accent'),
      'list.hoverBackground': token('sunk'),
      'input.background': token('ground'),
      'input.foreground': token('text'),
      'input.border': token('line-strong'),
      focusBorder: token('focus'),
      'textLink.foreground': token('accent'),
    },
  };
}

/** The colours of GraphiQL's own parts: three numbers each. */
export function explorerColours({ token }: Tokens): Record<string, string> {
  const inks = {
    primary: 'accent',
    secondary: 'note',
    tertiary: 'note',
    info: 'accent',
    success: 'good',
    warning: 'unconfirmed',
    error: 'bad',
    neutral: 'text',
    base: 'ground',
  } satisfies Record<string, Token>;
  return Object.fromEntries(Object.entries(inks).map(([name, of]) => [`--color-${name}`, triplet(token(of))]));
}

/** Hue, saturation and lightness of a colour. */
export function triplet(hex: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
  const most = Math.max(red, green, blue);
  const least = Math.min(red, green, blue);
  const light = (most + least) / 2;
  const span = most - least;
  if (!(span > 0)) return `0, 0%, ${percent(light)}`;
  const saturation = span / (1 - Math.abs(2 * light - 1));
  const hue = most === red ? ((green - blue) / span + 6) % 6 : most === green ? (blue - red) / span + 2 : (red - green) / span + 4;
  return `${Math.round(hue * 60)}, ${percent(saturation)}, ${percent(light)}`;
}

function percent(part: number): string {
  return `${Math.round(part * 1000) / 10}%`;
}
