import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLSchema,
  Kind,
  NoFragmentCyclesRule,
  type SelectionNode,
  type SelectionSetNode,
  TypeInfo,
  print,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';

import { parseQuery } from './operations';

/**
 * Inlines fragments and merges duplicate fields. A query that can't be parsed, or whose fragments are circular, is returned
 * unchanged.
 */
export function mergeFragments(schema: GraphQLSchema | null, query: string): string {
  const document = parseQuery(query);
  // The rule against cycles doesn't need the site's schema.
  const circular = document && validate(new GraphQLSchema({ assumeValid: true }), document, [NoFragmentCyclesRule]).length > 0;
  return document && !circular ? print(mergeDocument(document, schema)) : query;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

function mergeDocument(document: DocumentNode, schema: GraphQLSchema | null): DocumentNode {
  const fragments: Fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
  const info = schema && new TypeInfo(schema);
  const visitor = {
    FragmentDefinition: () => null,
    // The visitor also visits the replacement, so nested selections are merged too.
    SelectionSet: (node: SelectionSetNode) => ({
      ...node,
      selections: mergeFields(inlineFragments(node.selections, fragments, info?.getParentType()?.name ?? null)),
    }),
  };
  return visit(document, info ? visitWithTypeInfo(info, visitor) : visitor);
}

/** Replaces fragments by their selections. A fragment under a condition becomes an inline fragment. */
function inlineFragments(selections: readonly SelectionNode[], fragments: Fragments, parent: string | null): SelectionNode[] {
  return selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return selection;
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
    if (!fragment) return selection;
    const { typeCondition, selectionSet } = fragment;
    const spread = fragment === selection ? [] : (selection.directives ?? []);
    const directives = [...spread, ...(fragment.directives ?? [])];
    if (directives.length > 0 || (typeCondition && typeCondition.name.value !== parent)) {
      return { kind: Kind.INLINE_FRAGMENT, typeCondition, directives, selectionSet };
    }
    return inlineFragments(selectionSet.selections, fragments, parent);
  });
}

/** Merges fields with the same response name. Fields with directives stay unchanged. */
function mergeFields(selections: readonly SelectionNode[]): SelectionNode[] {
  const fields = new Map<string, FieldNode>();
  const found: (SelectionNode | string)[] = [];
  for (const selection of selections) {
    if (selection.kind !== Kind.FIELD || selection.directives?.length) {
      found.push(selection);
      continue;
    }
    const name = (selection.alias ?? selection.name).value;
    const before = fields.get(name);
    if (!before) found.push(name);
    fields.set(name, before ? mergeTwoFields(before, selection) : selection);
  }
  return found.flatMap((one) => (typeof one === 'string' ? (fields.get(one) ?? []) : one));
}

function mergeTwoFields(first: FieldNode, second: FieldNode): FieldNode {
  if (!first.selectionSet || !second.selectionSet) return first;
  const selections = [...first.selectionSet.selections, ...second.selectionSet.selections];
  return { ...first, selectionSet: { ...first.selectionSet, selections } };
}
