/* oxlint-disable import/default -- Vite makes the default export of a worker */
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

/** The editor's workers are files of Takt's own: nothing is loaded from the net, and nothing is made of text. */
const environment = {
  getWorker(_id: string, label: string): Worker {
    if (label === 'json') return new JsonWorker();
    if (label === 'graphql') return new GraphqlWorker();
    return new EditorWorker();
  },
};

Object.assign(globalThis, { MonacoEnvironment: environment });
