import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';

import { querySuggestions } from './queryLanguage';

const schema = buildSchema(`
  type Query { "Orders of the site." workOrders("How many." limit: Int, state: State): Page! old: Int @deprecated(reason: "Use workOrders.") }
  type Page { total: Int! }
  enum State { OPEN CLOSED }`);

/** Returns the suggestions at the `|` in the text, and the text after the first one is accepted. */
function suggest(marked: string, explicit = true) {
  const place = marked.indexOf('|');
  const state = EditorState.create({ doc: marked.replace('|', '') });
  const found = querySuggestions(schema, new CompletionContext(state, place, explicit));
  const [first] = found?.options ?? [];
  const text = state.doc.toString();
  return {
    labels: found?.options.map(({ label }) => label) ?? [],
    first,
    text: found && first ? text.slice(0, found.from) + String(first.apply) + text.slice(place) : text,
  };
}

test('fields, arguments and values of the schema are suggested', () => {
  expect(suggest('{ wo| }').labels).toEqual(['workOrders']);
  expect(suggest('{ wo| }').first).toMatchObject({ detail: 'Page!', info: 'Orders of the site.' });
  expect(suggest('{ workOrders(li|) }').text).toBe('{ workOrders(limit: ) }');
  expect(suggest('{ workOrders(state: |) }').labels).toEqual(expect.arrayContaining(['OPEN', 'CLOSED']));
  expect(suggest('{ ol| }').first).toMatchObject({ info: 'Use workOrders.', type: 'deprecated' });
});

test('a variable has one dollar', () => {
  for (const place of ['$|', '$li|', '|']) {
    expect(suggest(`query Q($limit: Int) { workOrders(limit: ${place}) { total } }`).text).toContain('limit: $limit)');
  }
});

test('suggestions come by themselves behind letters alone', () => {
  expect([suggest('{ |}', false).labels, suggest('{ w|}', false).labels]).toEqual([[], ['workOrders']]);
});

test('only queries are begun, no schemas', () => {
  const { labels } = suggest('|');
  expect(labels).toContain('query');
  expect(labels).not.toContain('type');
});
