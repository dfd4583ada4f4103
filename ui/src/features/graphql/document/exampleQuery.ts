import {
  type FieldNode,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
  TypeInfo,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  visit,
  visitWithTypeInfo,
} from 'graphql';

import { parseQuery } from './operations';

const MAX_DEPTH = 3;
const MAX_FIELDS = 8;

/** Returns an example query for the first field without required arguments. Null if the schema has no such field. */
export function exampleQuery(schema: GraphQLSchema): string | null {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  const first = fields.find((field) => hasNoRequiredArguments(field) && !isLeafType(getNamedType(field.type)));
  const inside = first && selection(first.type, 2, '    ');
  return first && inside ? `query Example {\n  ${first.name} {\n${inside}  }\n}\n` : null;
}

/** Adds a selection to each field that needs one and has none. */
export function withSelections(schema: GraphQLSchema, query: string): string {
  const document = parseQuery(query);
  if (!document) return query;
  const info = new TypeInfo(schema);
  const insertions: { place: number; text: string }[] = [];
  const enter = {
    Field: ({ selectionSet, loc }: FieldNode) => {
      const type = info.getType();
      if (selectionSet || !loc || !type) return;
      const line = query.slice(query.lastIndexOf('\n', loc.start - 1) + 1);
      const indent = /^[ \t]*/u.exec(line)?.[0] ?? '';
      const inside = selection(type, MAX_DEPTH, `${indent}  `);
      if (inside) insertions.push({ place: loc.end, text: ` {\n${inside}${indent}}` });
    },
  };
  visit(document, visitWithTypeInfo(info, enter));
  return insertions.reduceRight((text, { place, text: added }) => text.slice(0, place) + added + text.slice(place), query);
}

function selection(type: GraphQLOutputType, depth: number, indent: string): string {
  const named = getNamedType(type);
  if (!isObjectType(named) && !isInterfaceType(named)) return '';
  const fields = Object.values(named.getFields()).filter(hasNoRequiredArguments);
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).slice(0, MAX_FIELDS);
  const nested = depth < MAX_DEPTH ? fields.find((field) => isObjectType(getNamedType(field.type))) : undefined;
  const inside = nested ? selection(nested.type, depth + 1, `${indent}  `) : '';
  const lines = leaves.map((field) => `${indent}${field.name}\n`).join('');
  return nested && inside ? `${lines}${indent}${nested.name} {\n${inside}${indent}}\n` : lines;
}

function hasNoRequiredArguments(field: GraphQLField<unknown, unknown>): boolean {
  return !field.args.some(isRequiredArgument) && !field.deprecationReason;
}
