import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { HighlightStyle, bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { openLintPanel } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView, closeHoverTooltips, drawSelection, hasHoverTooltips, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { TFunction } from 'i18next';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import styles from '../common/graphql.module.css';

type Props = {
  label: string;
  /** The initial text. It replaces the editor's text only when `revision` changes, because `change` reports typed text. */
  text: string;
  revision: string;
  /** Undefined if the editor is read-only. */
  change?: (text: string) => void;
  /** The language extension. */
  extension: Extension;
  /** Key bindings of the page. They take precedence over the editor's bindings. */
  keys: Record<string, (view: EditorView) => void>;
  testId: string;
  ref?: Ref<EditorView | null>;
};

/**
 * A code editor whose frame is a tab stop. Enter moves the focus into the text and Escape out of it, so Tab can indent the text.
 */
export function CodeEditor({ label, text, revision, change, extension, keys, testId, ref }: Props) {
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ change, keys });
  const lastShown = useRef({ text, revision });
  const [compartment] = useState(() => new Compartment());
  const readOnly = !change;
  const variableExtensions = useMemo(() => [extension, translatedPhrases(t), labelExtension(label)], [extension, t, label]);
  const initialExtensions = useRef(variableExtensions);
  useEffect(() => {
    latest.current = { change, keys };
  }, [change, keys]);
  useLayoutEffect(() => {
    const parent = frame.current;
    if (!parent) return undefined;
    const leave = () => {
      parent.focus();
      return true;
    };
    const pageKey = (key: string) => ({
      key,
      run: (editor: EditorView) => {
        latest.current.keys[key]?.(editor);
        return true;
      },
    });
    const editor = new EditorView({
      doc: lastShown.current.text,
      extensions: [
        Prec.highest(keymap.of(Object.keys(latest.current.keys).map(pageKey))),
        compartment.of(initialExtensions.current),
        readOnly ? [EditorState.readOnly.of(true), EditorView.lineWrapping] : EDITING_EXTENSIONS,
        COMMON_EXTENSIONS,
        keymap.of([
          { key: 'F8', run: openLintPanel },
          { key: 'Escape', run: closeHover },
          { key: 'Escape', run: leave },
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.change?.(update.state.doc.toString());
        }),
      ],
      parent,
    });
    const enter = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || event.target !== parent) return;
      event.preventDefault();
      editor.focus();
    };
    parent.addEventListener('keydown', enter);
    view.current = editor;
    return () => {
      parent.removeEventListener('keydown', enter);
      editor.destroy();
    };
  }, [compartment, readOnly]);
  useImperativeHandle<EditorView | null, EditorView | null>(ref, () => view.current);
  useLayoutEffect(() => {
    if (initialExtensions.current !== variableExtensions) view.current?.dispatch({ effects: compartment.reconfigure(variableExtensions) });
    initialExtensions.current = variableExtensions;
  }, [compartment, variableExtensions]);
  useLayoutEffect(() => {
    if (lastShown.current.revision !== revision) replaceText(view.current, text);
    lastShown.current = { text, revision };
  }, [text, revision]);
  return <div ref={frame} className={styles.code} role="group" aria-label={label} tabIndex={0} data-testid={testId} />;
}

/** Replaces the text with a minimal change, which keeps the cursor and the undo history. */
function replaceText(view: EditorView | null, text: string): void {
  const before = view?.state.doc.toString();
  if (!view || before === undefined || before === text) return;
  const shorter = Math.min(before.length, text.length);
  let from = 0;
  while (from < shorter && before[from] === text[from]) from += 1;
  let same = 0;
  while (same < shorter - from && before.at(-1 - same) === text.at(-1 - same)) same += 1;
  view.dispatch({ changes: { from, to: before.length - same, insert: text.slice(from, text.length - same) } });
}

function closeHover(view: EditorView): boolean {
  const open = hasHoverTooltips(view.state);
  if (open) view.dispatch({ effects: closeHoverTooltips });
  return open;
}

/** Labels the text for screen readers. Only the frame around it is a tab stop. */
function labelExtension(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '-1' });
}

const LINE_STYLE = '1px solid var(--takt-line)';
const FIELD_STYLE = { border: '1px solid var(--takt-line-strong)', borderRadius: 'var(--takt-radius)', background: 'var(--takt-ground)', color: 'var(--takt-text)' };

/** The theme uses the window's tokens, so it follows the color scheme. */
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
  '.cm-foldPlaceholder': { ...FIELD_STYLE, padding: '0 6px', color: 'var(--takt-muted)' },
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

  '.cm-tooltip': { maxWidth: '480px', border: LINE_STYLE, borderRadius: 'var(--takt-radius)', background: 'var(--takt-surface)', boxShadow: 'var(--takt-shadow)', color: 'var(--takt-text)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxHeight: '16em', fontFamily: 'var(--takt-mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { display: 'flex', gap: '16px', justifyContent: 'space-between', padding: '3px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--takt-accent-soft)', color: 'var(--takt-text)' },
  '.cm-completionMatchedText': { color: 'var(--takt-accent)', fontWeight: '600', textDecoration: 'none' },
  '.cm-completionDetail': { color: 'var(--takt-muted)', fontStyle: 'normal' },
  '.cm-deprecated .cm-completionLabel': { textDecoration: 'line-through' },
  '.cm-tooltip.cm-completionInfo, .cm-schemaHover': { padding: '6px 10px', fontFamily: 'var(--takt-font)', whiteSpace: 'pre-line', overflowWrap: 'anywhere' },

  '.cm-panels': { background: 'var(--takt-surface)', color: 'var(--takt-text)', fontFamily: 'var(--takt-font)' },
  '.cm-panels-top': { borderBottom: LINE_STYLE },
  '.cm-panels-bottom': { borderTop: LINE_STYLE },
  '.cm-panel.cm-search, .cm-panel.cm-gotoLine': { display: 'flex', flexWrap: 'wrap', gap: '4px 6px', alignItems: 'center', padding: '6px 36px 6px 8px', fontSize: 'var(--takt-size-small)' },
  '.cm-panel.cm-search br': { flexBasis: '100%', content: '""' },
  '.cm-panel.cm-search label': { display: 'inline-flex', gap: '4px', alignItems: 'center', fontSize: 'inherit', whiteSpace: 'nowrap' },
  '.cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label': { margin: '0' },
  '.cm-textfield': { ...FIELD_STYLE, minWidth: '0', height: '26px', padding: '0 8px', fontSize: 'inherit' },
  '.cm-button': { ...FIELD_STYLE, height: '26px', padding: '0 10px', backgroundImage: 'none', fontSize: 'inherit', cursor: 'pointer' },
  '.cm-button:hover': { background: 'var(--takt-sunk)' },
  '.cm-button:active': { backgroundImage: 'none' },
  '.cm-panel input[type=checkbox]': { accentColor: 'var(--takt-accent)' },
  '.cm-panel.cm-search [name=close], .cm-panel .cm-dialog-close, .cm-panel.cm-panel-lint [name=close]': {
    top: '6px', right: '8px', width: '26px', height: '26px', borderRadius: 'var(--takt-radius)', color: 'var(--takt-muted)', fontSize: '18px', cursor: 'pointer',
  },
  '.cm-panel.cm-panel-lint ul': { maxHeight: '120px', outlineOffset: '-2px' },
  '.cm-panel.cm-panel-lint ul [aria-selected], .cm-panel.cm-panel-lint ul:focus [aria-selected]': { background: 'var(--takt-accent-soft)', color: 'var(--takt-text)' },
});

const syntaxColors = HighlightStyle.define([
  { tag: tags.definitionKeyword, color: 'var(--takt-accent)', fontWeight: '600' },
  // The grammar doesn't distinguish a keyword from a field with the same name, such as `type`.
  { tag: [tags.keyword, tags.propertyName], color: 'var(--takt-accent)' },
  { tag: [tags.atom, tags.attributeName, tags.variableName, tags.typeName], color: 'var(--takt-note)' },
  { tag: tags.string, color: 'var(--takt-good)' },
  { tag: [tags.number, tags.bool, tags.null, tags.modifier, tags.special(tags.name)], color: 'var(--takt-unconfirmed)' },
  { tag: tags.comment, color: 'var(--takt-muted)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.paren, tags.brace, tags.squareBracket, tags.separator], color: 'var(--takt-muted)' },
]);

const codeTheme: Extension = [theme, syntaxHighlighting(syntaxColors)];

const COMMON_EXTENSIONS: Extension = [
  codeTheme,
  codeFolding(),
  foldGutter(),
  drawSelection(),
  bracketMatching(),
  search({ top: true }),
  EditorState.allowMultipleSelections.of(true),
  // Ctrl+click opens the schema, so Alt+click adds a cursor.
  EditorView.clickAddsSelectionRange.of((event) => event.altKey),
  keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
];

const EDITING_EXTENSIONS: Extension = [
  lineNumbers(),
  history(),
  indentOnInput(),
  closeBrackets(),
  autocompletion({ icons: false, optionClass: ({ type }) => (type === 'deprecated' ? 'cm-deprecated' : '') }),
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, { key: 'Tab', run: acceptCompletion }, indentWithTab]),
];

/** CodeMirror's texts in the window's language. */
function translatedPhrases(t: TFunction): Extension {
  return EditorState.phrases.of({
    Completions: t('graphql.editor.completions'),
    Diagnostics: t('graphql.editor.problems'),
    'No diagnostics': t('graphql.editor.noProblems'),
    Find: t('graphql.editor.find'),
    Replace: t('graphql.editor.replace'),
    next: t('graphql.editor.next'),
    previous: t('graphql.editor.previous'),
    all: t('graphql.editor.all'),
    'match case': t('graphql.editor.matchCase'),
    regexp: t('graphql.editor.regexp'),
    'by word': t('graphql.editor.byWord'),
    replace: t('graphql.editor.replace'),
    'replace all': t('graphql.editor.replaceAll'),
    close: t('graphql.editor.close'),
    'current match': t('graphql.editor.currentMatch'),
    'on line': t('graphql.editor.onLine'),
    'replaced $ matches': t('graphql.editor.replacedAll'),
    'replaced match on line $': t('graphql.editor.replacedOne'),
    'Go to line': t('graphql.editor.goToLine'),
    go: t('graphql.editor.go'),
    to: t('graphql.editor.to'),
    'Fold line': t('graphql.editor.fold'),
    'Unfold line': t('graphql.editor.unfold'),
    'folded code': t('graphql.editor.folded'),
    unfold: t('graphql.editor.unfold'),
    'Control character': t('graphql.editor.controlCharacter'),
    'Selection deleted': t('graphql.editor.deleted'),
  });
}
