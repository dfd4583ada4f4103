import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { buildSchema } from 'graphql';
import i18next from 'i18next';
import { beforeAll, describe, expect, test } from 'vitest';

import { startWords } from '@/base/words';
import { variableProblems, variableSuggestions } from './variablesLanguage';

const schema = buildSchema(`
  type Query { orders(limit: Int!, filter: Filter, states: [State!], all: Boolean): Int }
  input Filter { code: String state: State inner: Filter }
  enum State { OPEN CLOSED }`);
const query = 'query Q($limit: Int!, $filter: Filter, $states: [State!], $all: Boolean) { orders }';

beforeAll(startWords);

describe('variables', () => {
  function problems(text: string, of = query) {
    return variableProblems(schema, of, text, i18next.t).map(({ from, to, message }) => [text.slice(from, to), message]);
  }

  test('that fit have no errors, with comments and a comma too many', () => {
    expect(problems('{ "limit": 3, // three\n "filter": { "state": "OPEN" }, "all": null, }')).toEqual([]);
    expect([problems(''), problems('null', 'query Q($a: Int) { orders }')]).toEqual([[], []]);
  });

  test('are marked where they do not fit', () => {
    expect(problems('{ "limit": "x" }')).toEqual([['"x"', expect.stringContaining('Int cannot represent')]]);
    expect(problems('{ "limit": 1, "filter": { "nope": 1 } }')).toEqual([['{ "nope": 1 }', expect.stringContaining('nope')]]);
    expect(problems('{ "all": true }')).toEqual([['{', expect.stringContaining('$limit')]]);
  });

  test('of another operation are not missing', () => {
    expect(problems('{ "a": 1 }', 'query A($a: Int!) { orders } query B($b: Int!) { orders }')).toEqual([]);
    expect(problems('{ "b": "x" }', 'query A($a: Int!) { orders } query B($b: Int!) { orders }')).toHaveLength(1);
  });

  test('that are no JSON, or no object, are marked in the language of the window', () => {
    expect(problems('{ "limit": ')[0]?.[1]).toBe(i18next.t('graphql.notJson'));
    expect(problems('[1]')).toEqual([['[1]', i18next.t('graphql.notObject')]]);
  });
});

describe('suggestions', () => {
  function suggested(marked: string) {
    const place = marked.indexOf('|');
    const text = marked.replace('|', '');
    const found = variableSuggestions(schema, query, new CompletionContext(EditorState.create({ doc: text }), place, true));
    const [first] = found?.options ?? [];
    const labels = found?.options.map(({ label }) => label) ?? [];
    return { labels, text: found && first ? text.slice(0, found.from) + String(first.apply ?? first.label) + text.slice(found.to) : text };
  }

  test('are the variables, the fields of input objects, and values', () => {
    expect(suggested('{ | }').labels).toEqual(['"limit"', '"filter"', '"states"', '"all"']);
    expect(suggested('{ "filter": { "inner": { "|" } } }').labels).toEqual(['"code"', '"state"', '"inner"']);
    expect(suggested('{ "filter": { "state": | } }').labels).toEqual(['"OPEN"', '"CLOSED"', 'null']);
    expect(suggested('{ "states": [|] }').labels).toContain('"OPEN"');
    expect(suggested('{ "all": | }').labels).toEqual(['true', 'false', 'null']);
    expect(suggested('{ "nope": | }').labels).toEqual([]);
  });

  test('take the quotes that stand there', () => {
    expect(suggested('{ "|" }').text).toBe('{ "limit":  }');
    expect(suggested('{ li| }').text).toBe('{ "limit":  }');
  });
});
