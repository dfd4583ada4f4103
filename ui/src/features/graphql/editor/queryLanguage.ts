import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import { hoverTooltip, keymap } from '@codemirror/view';
import { graphqlLanguage, graphqlLanguageSupport, jump, lint, offsetToPos, showInDocsCommand, stateExtensions } from 'cm6-graphql';
import type { GraphQLSchema } from 'graphql';
import { GraphQLDocumentMode, getAutocompleteSuggestions, getHoverInformation } from 'graphql-language-service';

import type { DocsPlace } from '../docs/SchemaDocs';

/** GraphQL with a schema: suggestions, errors, tooltips and links to the documentation. */
export function queryLanguage(schema: GraphQLSchema | null, show: (place: DocsPlace) => void): Extension {
  if (!schema) return graphqlLanguageSupport();
  const onShowInDocs = (field?: string, type?: string, parentType?: string) => {
    const typeName = /\w+/u.exec(parentType ?? type ?? '')?.[0];
    if (typeName) show(field && parentType ? { type: typeName, field } : { type: typeName });
  };
  return [
    graphqlLanguageSupport(),
    stateExtensions(schema, { onShowInDocs }),
    graphqlLanguage.data.of({ autocomplete: (context: CompletionContext) => querySuggestions(schema, context) }),
    lint,
    createHoverTooltips(schema),
    jump,
    keymap.of([{ key: 'F12', run: showInDocsCommand }]),
  ];
}

/** Returns suggestions. The source of cm6-graphql duplicates the dollar sign of variables and omits the colon after arguments. */
export function querySuggestions(schema: GraphQLSchema, context: CompletionContext): CompletionResult | null {
  const { state, pos, explicit } = context;
  const text = state.doc.toString();
  if (!explicit && !/[\w$@]$/u.test(text.slice(0, pos))) return null;
  const found = getAutocompleteSuggestions(schema, text, offsetToPos(state.doc, pos), undefined, undefined, { mode: GraphQLDocumentMode.EXECUTABLE });
  if (found.length === 0) return null;
  const options = found.map(({ label, insertText, detail, documentation, deprecationReason, isDeprecated }) => {
    const option: Completion = { label, apply: insertText ?? label };
    const about = [documentation, deprecationReason].filter(Boolean).join('\n\n');
    if (detail) option.detail = String(detail);
    if (about) option.info = about;
    if (isDeprecated) option.type = 'deprecated';
    return option;
  });
  return { from: context.matchBefore(/\w*/u)?.from ?? pos, options, validFor: /^\w*$/u };
}

function createHoverTooltips(schema: GraphQLSchema): Extension {
  return hoverTooltip(({ state }, pos) => {
    const about = getHoverInformation(schema, state.doc.toString(), offsetToPos(state.doc, pos + 1));
    const word = state.wordAt(pos);
    if (!word || typeof about !== 'string' || about === '') return null;
    const dom = document.createElement('div');
    dom.className = 'cm-schemaHover';
    // Descriptions come from the service, so they are shown as text.
    dom.textContent = about;
    return { pos: word.from, end: word.to, above: true, create: () => ({ dom }) };
  });
}
