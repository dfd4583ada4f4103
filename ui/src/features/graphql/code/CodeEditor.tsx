import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language';
import { openLintPanel } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView, closeHoverTooltips, drawSelection, hasHoverTooltips, keymap, lineNumbers } from '@codemirror/view';
import type { TFunction } from 'i18next';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import styles from '../common/graphql.module.css';
import { codeTheme } from './codeTheme';

type Props = {
  label: string;
  /** Replaces the text of the editor when `revision` changes. Typed text is reported by `change`. */
  text: string;
  revision: string;
  /** Undefined if the editor is read-only. */
  change?: (text: string) => void;
  /** The editor's language. */
  extension: Extension;
  /** Keys of the page. They take precedence over those of the editor. */
  keys: Record<string, (view: EditorView) => void>;
  testId: string;
  ref?: Ref<EditorView | null>;
};

/** A code editor. Tab reaches the frame around it. Enter moves the focus in and Escape out, so Tab can indent inside. */
export function CodeEditor({ label, text, revision, change, extension, keys, testId, ref }: Props) {
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ change, keys });
  const shown = useRef({ text, revision });
  const [varying] = useState(() => new Compartment());
  const readOnly = !change;
  const variable = useMemo(() => [extension, phrases(t), labelExtension(label)], [extension, t, label]);
  const first = useRef(variable);
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
      doc: shown.current.text,
      extensions: [
        Prec.highest(keymap.of(Object.keys(latest.current.keys).map(pageKey))),
        varying.of(first.current),
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
  }, [varying, readOnly]);
  useImperativeHandle<EditorView | null, EditorView | null>(ref, () => view.current);
  useLayoutEffect(() => {
    if (first.current !== variable) view.current?.dispatch({ effects: varying.reconfigure(variable) });
    first.current = variable;
  }, [varying, variable]);
  useLayoutEffect(() => {
    if (shown.current.revision !== revision) replaceText(view.current, text);
    shown.current = { text, revision };
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

/** The frame is a tab stop, the text inside isn't. */
function labelExtension(label: string): Extension {
  return EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '-1' });
}

const COMMON_EXTENSIONS: Extension = [
  codeTheme,
  codeFolding(),
  foldGutter(),
  drawSelection(),
  bracketMatching(),
  search({ top: true }),
  EditorState.allowMultipleSelections.of(true),
  // Ctrl+click opens the schema instead.
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
function phrases(t: TFunction): Extension {
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
