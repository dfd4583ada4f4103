import { KeyCode, type MonacoEditor, useGraphiQL, useMonaco } from '@graphiql/react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { documentTokens, editorTheme, themeName } from './editorTheme';
import { useLook } from './useLook';

/** The editors in the window's colours, letters and language. */
export function useEditorTheme(): void {
  const { t } = useTranslation();
  const look = useLook();
  const monaco = useMonaco((state) => state.monaco);
  const query = useGraphiQL((state) => state.queryEditor);
  const variables = useGraphiQL((state) => state.variableEditor);
  const response = useGraphiQL((state) => state.responseEditor);

  useEffect(() => {
    if (!monaco) return;
    monaco.editor.defineTheme(themeName, editorTheme(documentTokens(look)));
    monaco.editor.setTheme(themeName);
  }, [monaco, look]);

  useEffect(() => (query ? dress(query, t('graphql.query'), t('graphql.leave')) : undefined), [query, t]);
  useEffect(() => (variables ? dress(variables, t('graphql.variables'), t('graphql.leave')) : undefined), [variables, t]);
  useEffect(() => (response ? dress(response, t('graphql.answer'), t('graphql.leave')) : undefined), [response, t]);
}

const widgets = '!suggestWidgetVisible && !parameterHintsVisible && !findWidgetVisible && !renameInputVisible';

function dress(editor: MonacoEditor, ariaLabel: string, leave: string): () => void {
  const fontFamily = getComputedStyle(document.documentElement).getPropertyValue('--takt-mono');
  // An address in an answer is text like any other: nobody is led out of the window by it.
  editor.updateOptions({ ariaLabel, fontFamily, fontSize: 13, links: false, lineNumbersMinChars: 3, padding: { top: 8 } });
  const action = editor.addAction({
    id: 'takt-leave',
    label: leave,
    keybindings: [KeyCode.Escape],
    precondition: widgets,
    run: ({ getDomNode }) => getDomNode.call(editor)?.parentElement?.focus(),
  });
  return () => action.dispose();
}
