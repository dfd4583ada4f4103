import { undo } from '@codemirror/commands';
import type { EditorView } from '@codemirror/view';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { type ComponentProps, createRef } from 'react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';

import { switchLanguage, initTranslations } from '@/base/words';
import { cleanUp } from '@/test/cleanup';
import { CodeEditor } from './CodeEditor';

beforeAll(async () => {
  await initTranslations();
  // jsdom has no layout.
  Range.prototype.getClientRects = () => document.createElement('span').getClientRects();
});
afterEach(cleanUp);

function renderEditor(given: Partial<ComponentProps<typeof CodeEditor>> = {}) {
  const ref = createRef<EditorView>();
  const editor = (props: Partial<ComponentProps<typeof CodeEditor>>) => (
    <CodeEditor label="Query" text="{ a }" revision="0" extension={[]} keys={{}} testId="code" {...given} {...props} ref={ref} />
  );
  const { rerender } = render(editor({}));
  const view = () => ref.current as EditorView;
  return { view, text: () => view().state.doc.toString(), again: (props: Partial<ComponentProps<typeof CodeEditor>>) => rerender(editor(props)) };
}

test('what is typed comes back, and is never overwritten by a text from before', () => {
  const change = vi.fn<(text: string) => void>();
  const { view, text, again } = renderEditor({ change });
  act(() => view().dispatch({ changes: { from: 3, insert: ' b' } }));
  expect(change).toHaveBeenCalledWith('{ a b }');
  again({ text: '{ a }' });
  expect(text()).toBe('{ a b }');
});

test('a text from elsewhere replaces what differs, and can be undone', () => {
  const { view, text, again } = renderEditor({ change: () => undefined });
  act(() => view().dispatch({ selection: { anchor: 4 } }));
  again({ text: '{ longer a }', revision: '1' });
  expect([text(), view().state.selection.main.head]).toEqual(['{ longer a }', 11]);
  act(() => void undo(view()));
  expect(text()).toBe('{ a }');
  again({ text: '', revision: '2' });
  again({ text: 'aa', revision: '3' });
  again({ text: 'aaa', revision: '4' });
  expect(text()).toBe('aaa');
});

test('an answer can be read and not changed', () => {
  const { view } = renderEditor();
  expect([view().state.readOnly, view().contentDOM.getAttribute('aria-readonly')]).toEqual([true, 'true']);
});

test('Enter goes in, Escape goes out, and Tab reaches the frame alone', () => {
  const { view } = renderEditor({ change: () => undefined });
  const frame = screen.getByTestId('code');
  expect([frame.tabIndex, view().contentDOM.tabIndex, view().contentDOM.getAttribute('aria-label')]).toEqual([0, -1, 'Query']);
  frame.focus();
  fireEvent.keyDown(frame, { key: 'Enter' });
  expect(document.activeElement).toBe(view().contentDOM);
  fireEvent.keyDown(view().contentDOM, { key: 'Escape', keyCode: 27 });
  expect(document.activeElement).toBe(frame);
});

test('the page\'s keys come first, and CodeMirror speaks the language of the window', async () => {
  const run = vi.fn<() => void>();
  const { view } = renderEditor({ change: () => undefined, keys: { 'Ctrl-Enter': run } });
  fireEvent.keyDown(view().contentDOM, { key: 'Enter', keyCode: 13, ctrlKey: true });
  expect(run).toHaveBeenCalledTimes(1);
  await act(() => switchLanguage('de'));
  expect(view().state.phrase('match case')).toBe('Groß-/Kleinschreibung');
  await act(() => switchLanguage('en'));
});
