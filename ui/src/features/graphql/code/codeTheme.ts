import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const line = '1px solid var(--takt-line)';
const field = { border: '1px solid var(--takt-line-strong)', borderRadius: 'var(--takt-radius)', background: 'var(--takt-ground)', color: 'var(--takt-text)' };

/** Uses the window's tokens, so it follows the color scheme. */
const theme = EditorView.theme({
  '&': { height: '100%', background: 'var(--takt-ground)', color: 'var(--takt-text)', fontSize: 'var(--takt-size-grid)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--takt-mono)', lineHeight: '1.55' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--takt-text)' },
  '.cm-line': { padding: '0 12px 0 4px' },
  '.cm-cursor': { borderLeft: '2px solid var(--takt-text)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--takt-accent) 20%, transparent)',
  },
  '.cm-gutters': { border: 'none', background: 'var(--takt-ground)', color: 'var(--takt-muted)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px', padding: '0 4px 0 8px', fontVariantNumeric: 'tabular-nums' },
  '.cm-foldGutter .cm-gutterElement': { width: '16px', padding: '0', textAlign: 'center', cursor: 'pointer' },
  '.cm-foldGutter .cm-gutterElement:hover': { color: 'var(--takt-text)' },
  '.cm-foldPlaceholder': { ...field, padding: '0 6px', color: 'var(--takt-muted)' },
  '&.cm-focused .cm-matchingBracket': { background: 'var(--takt-sunk)', outline: '1px solid var(--takt-line-strong)' },
  '&.cm-focused .cm-nonmatchingBracket': { background: 'none', color: 'var(--takt-bad)' },
  '.cm-searchMatch': { background: 'color-mix(in srgb, var(--takt-unconfirmed) 22%, transparent)' },
  '.cm-searchMatch.cm-searchMatch-selected': { background: 'color-mix(in srgb, var(--takt-unconfirmed) 40%, transparent)', outline: '1px solid var(--takt-unconfirmed)' },
  '.cm-selectionMatch': { background: 'var(--takt-sunk)' },

  '.cm-lintRange': { background: 'none', textDecoration: 'underline wavy 1px', textUnderlineOffset: '3px', textDecorationSkipInk: 'none' },
  '.cm-lintRange-error': { textDecorationColor: 'var(--takt-bad)' },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--takt-unconfirmed)' },
  '.cm-lintRange-active': { background: 'var(--takt-sunk)' },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--takt-bad)' },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'var(--takt-font)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--takt-bad)' },
  '.cm-diagnostic-warning': { borderLeft: '3px solid var(--takt-unconfirmed)' },

  '.cm-tooltip': { maxWidth: '480px', border: line, borderRadius: 'var(--takt-radius)', background: 'var(--takt-surface)', boxShadow: 'var(--takt-shadow)', color: 'var(--takt-text)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxHeight: '16em', fontFamily: 'var(--takt-mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { display: 'flex', gap: '16px', justifyContent: 'space-between', padding: '3px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--takt-accent-soft)', color: 'var(--takt-text)' },
  '.cm-completionMatchedText': { color: 'var(--takt-accent)', fontWeight: '600', textDecoration: 'none' },
  '.cm-completionDetail': { color: 'var(--takt-muted)', fontStyle: 'normal' },
  '.cm-deprecated .cm-completionLabel': { textDecoration: 'line-through' },
  '.cm-tooltip.cm-completionInfo, .cm-schemaHover': { padding: '6px 10px', fontFamily: 'var(--takt-font)', whiteSpace: 'pre-line', overflowWrap: 'anywhere' },

  '.cm-panels': { background: 'var(--takt-surface)', color: 'var(--takt-text)', fontFamily: 'var(--takt-font)' },
  '.cm-panels-top': { borderBottom: line },
  '.cm-panels-bottom': { borderTop: line },
  '.cm-panel.cm-search, .cm-panel.cm-gotoLine': { display: 'flex', flexWrap: 'wrap', gap: '4px 6px', alignItems: 'center', padding: '6px 36px 6px 8px', fontSize: 'var(--takt-size-small)' },
  '.cm-panel.cm-search br': { flexBasis: '100%', content: '""' },
  '.cm-panel.cm-search label': { display: 'inline-flex', gap: '4px', alignItems: 'center', fontSize: 'inherit', whiteSpace: 'nowrap' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': { margin: '0' },
  '.cm-textfield': { ...field, minWidth: '0', height: '26px', padding: '0 8px', fontSize: 'inherit' },
  '.cm-button': { ...field, height: '26px', padding: '0 10px', backgroundImage: 'none', fontSize: 'inherit', cursor: 'pointer' },
  '.cm-button:hover': { background: 'var(--takt-sunk)' },
  '.cm-button:active': { backgroundImage: 'none' },
  '.cm-panel input[type=checkbox]': { accentColor: 'var(--takt-accent)' },
  '.cm-panel.cm-search [name=close], .cm-panel .cm-dialog-close, .cm-panel.cm-panel-lint [name=close]': {
    top: '6px', right: '8px', width: '26px', height: '26px', borderRadius: 'var(--takt-radius)', color: 'var(--takt-muted)', fontSize: '18px', cursor: 'pointer',
  },
  '.cm-panel.cm-panel-lint ul': { maxHeight: '120px', outlineOffset: '-2px' },
  '.cm-panel.cm-panel-lint ul [aria-selected], .cm-panel.cm-panel-lint ul:focus [aria-selected]': { background: 'var(--takt-accent-soft)', color: 'var(--takt-text)' },
});

const inks = HighlightStyle.define([
  { tag: tags.definitionKeyword, color: 'var(--takt-accent)', fontWeight: '600' },
  // A field may be named like a keyword (`type`), and the grammar doesn't distinguish them.
  { tag: [tags.keyword, tags.propertyName], color: 'var(--takt-accent)' },
  { tag: [tags.atom, tags.attributeName, tags.variableName, tags.typeName], color: 'var(--takt-note)' },
  { tag: tags.string, color: 'var(--takt-good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.modifier, tags.special(tags.name)], color: 'var(--takt-unconfirmed)' },
  { tag: tags.comment, color: 'var(--takt-muted)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.paren, tags.brace, tags.squareBracket, tags.separator], color: 'var(--takt-muted)' },
]);

/** Colors and fonts of code. */
export const codeTheme: Extension = [theme, syntaxHighlighting(inks)];
