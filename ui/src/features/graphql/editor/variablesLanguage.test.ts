import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { buildSchema } from 'graphql';
import i18next from 'i18next';
import { beforeAll, describe, expect, test } from 'vitest';

import { initTranslations } from '@/base/words';
import { variableProblems, variableSuggestions } from './variablesLanguage';

const schema = buildSchema(`
  type Query { orders(limit: Int!, filter: Filter, states: [State!], all: Boolean): Int }
  input Filter { code: String state: State inner: Filter }
  enum State { OPEN CLOSED }`);
const query = 'query Q($limit: Int!, $filter: Filter, $states: [State!], $all: Boolean) { orders }';

beforeAll(initTranslations);

describe('variables', () => {
  function problemsOf(text: string, of = query) {
    return variableProblems(schema, of, text, i18next.t).map(({ from, to, message }) => [text.slice(from, to), message]);
  }

  test('that fit have no errors, with comments and a comma too many', () => {
    expect(problemsOf('{ "limit": 3, // three\n "filter": { "state": "OPEN" }, "all": null, }')).toEqual([]);
    expect([problemsOf(''), problemsOf('null', 'query Q($a: Int) { orders }')]).toEqual([[], []]);
  });

  test('are marked where they do not fit', () => {
    expect(problemsOf('{ "limit": "x" }')).toEqual([['"x"', expect.stringContaining('Int cannot represent')]]);
    expect(problemsOf('{ "limit": 1, "filter": { "nope": 1 } }')).toEqual([['{ "nope": 1 }', expect.stringContaining('nope')]]);
    expect(problemsOf('{ "all": true }')).toEqual([['{', expect.stringContaining('$limit')]]);
  });

  test('of another operation are not missing', () => {
    expect(problemsOf('{ "a": 1 }', 'query A($a: Int!) { orders } query B($b: Int!) { orders }')).toEqual([]);
    expect(problemsOf('{ "b": "x" }', 'query A($a: Int!) { orders } query B($b: Int!) { orders }')).toHaveLength(1);
  });

  test('that are no JSON, or no object, are marked in the language of the window', () => {
    expect(problemsOf('{ "limit": ')[0]?.[1]).toBe(i18next.t('graphql.notJson'));
    expect(problemsOf('[1]')).toEqual([['[1]', i18next.t('graphql.notObject')]]);
  });
});

describe('suggestions', () => {
  function suggest(marked: string) {
    const place = marked.indexOf('|');
    const text = marked.replace('|', '');
    const found = variableSuggestions(schema, query, new CompletionContext(EditorState.create({ doc: text }), place, true));
    const [first] = found?.options ?? [];
    const labels = found?.options.map(({ label }) => label) ?? [];
    return { labels, text: found && first ? text.slice(0, found.from) + String(first.apply ?? first.label) + text.slice(found.to) : text };
  }

  test('are the variables, the fields of input objects, and values', () => {
    expect(suggest('{ | }').labels).toEqual(['"limit"', '"filter"', '"states"', '"all"']);
    expect(suggest('{ "filter": { "inner": { "|" } } }').labels).toEqual(['"code"', '"state"', '"inner"']);
    expect(suggest('{ "filter": { "state": | } }').labels).toEqual(['"OPEN"', '"CLOSED"', 'null']);
    expect(suggest('{ "states": [|] }').labels).toContain('"OPEN"');
    expect(suggest('{ "all": | }').labels).toEqual(['true', 'false', 'null']);
    expect(suggest('{ "nope": | }').labels).toEqual([]);
  });

  test('take the quotes that stand there', () => {
    expect(suggest('{ "|" }').text).toBe('{ "limit":  }');
    expect(suggest('{ li| }').text).toBe('{ "limit":  }');
  });
});
