import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { json, jsonLanguage } from '@codemirror/lang-json';
import { type Diagnostic, linter } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import type { TFunction } from 'i18next';
import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isInputType,
  isNonNullType,
  typeFromAST,
} from 'graphql';
import { type ParseError, findNodeAtLocation, getLocation, getNodeValue, parseTree } from 'jsonc-parser';

import { declaredVariables, operationsOf } from '../document/operations';

/** JSON for the variables that a query declares: suggestions and validation. */
export function variablesLanguage(schema: GraphQLSchema | null, query: string, t: TFunction): Extension {
  return [
    json(),
    jsonLanguage.data.of({ commentTokens: { line: '//', block: { open: '/*', close: '*/' } } }),
    jsonLanguage.data.of({ autocomplete: (context: CompletionContext) => (schema ? variableSuggestions(schema, query, context) : null) }),
    linter(({ state }) => variableProblems(schema, query, state.doc.toString(), t)),
  ];
}

/** Validates the variables with GraphQL's own checks and messages. */
export function variableProblems(schema: GraphQLSchema | null, query: string, text: string, t: TFunction): Diagnostic[] {
  if (text.trim() === '') return [];
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const syntaxProblems = errors.map(({ offset, length }): Diagnostic => {
    const from = Math.min(offset, text.length);
    return { from, to: Math.min(from + length, text.length), severity: 'error', message: t('graphql.notJson') };
  });
  if (syntaxProblems.length > 0 || !schema || !tree) return syntaxProblems;
  const fullRange = { from: tree.offset, to: tree.offset + tree.length };
  if (tree.type !== 'object') return tree.type === 'null' ? [] : [{ ...fullRange, severity: 'error', message: t('graphql.notObject') }];
  const values = getNodeValue(tree) as Record<string, unknown>;
  // Only one of several operations runs, so variables of the others may be missing.
  const single = operationsOf(query).length === 1;
  const checkedVariables = declaredVariables(query).filter(({ variable }) => single || variable.name.value in values);
  return checkedVariables.flatMap((definition) => {
    const name = definition.variable.name.value;
    const place = findNodeAtLocation(tree, [name]);
    const from = place?.offset ?? fullRange.from;
    const to = from + (place?.length ?? 1);
    return (getVariableValues(schema, [definition], values).errors ?? []).map(({ message }): Diagnostic => ({ from, to, severity: 'error', message }));
  });
}

/** Suggests names before a colon and values after it. */
export function variableSuggestions(schema: GraphQLSchema, query: string, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  const text = state.doc.toString();
  const { path, isAtPropertyKey } = getLocation(text, pos);
  const word = /"?\w*$/u.exec(text.slice(0, pos))?.[0] ?? '';
  if (!explicit && word === '') return null;
  const from = pos - word.length;
  // The suggestion also replaces the closing quote that the editor added after the cursor.
  const to = word.startsWith('"') && text[pos] === '"' ? pos + 1 : pos;
  const options = isAtPropertyKey
    ? membersOf(schema, query, path.slice(0, -1)).map(([name, type]): Completion => ({ label: `"${name}"`, apply: `"${name}": `, detail: String(type) }))
    : valuesOf(typeAt(schema, query, path)).map((value): Completion => ({ label: value }));
  return options.length === 0 ? null : { from, to, options };
}

type Member = [string, GraphQLInputType];

/** Returns the variables, or the fields of the input object at the path. */
function membersOf(schema: GraphQLSchema, query: string, path: readonly (string | number)[]): Member[] {
  if (path.length > 0) {
    const type = getNamedType(typeAt(schema, query, path));
    return isInputObjectType(type) ? Object.values(type.getFields()).map((field): Member => [field.name, field.type]) : [];
  }
  return declaredVariables(query).flatMap(({ variable, type: node }): Member[] => {
    const type = typeFromAST(schema, node);
    return isInputType(type) ? [[variable.name.value, type]] : [];
  });
}

/** Returns the type of the value at a path, regardless of list indexes. */
function typeAt(schema: GraphQLSchema, query: string, path: readonly (string | number)[]): GraphQLInputType | undefined {
  const names = path.filter((step) => typeof step === 'string');
  const last = names.pop();
  return membersOf(schema, query, names).find(([name]) => name === last)?.[1];
}

function valuesOf(type: GraphQLInputType | undefined): string[] {
  const namedType = getNamedType(type);
  const none = isNonNullType(type) ? [] : ['null'];
  if (isEnumType(namedType)) return [...namedType.getValues().map(({ name }) => `"${name}"`), ...none];
  return namedType?.name === 'Boolean' ? ['true', 'false', ...none] : [];
}
