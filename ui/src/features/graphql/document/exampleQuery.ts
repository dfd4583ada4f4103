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
  const inside = first && buildSelection(first.type, 2, '    ');
  return first && inside ? `query Example {\n  ${first.name} {\n${inside}  }\n}\n` : null;
}

/** Adds a selection to each field that needs one and has none. */
export function withSelections(schema: GraphQLSchema, query: string): string {
  const document = parseQuery(query);
  if (!document) return query;
  const info = new TypeInfo(schema);
  const insertions: { position: number; text: string }[] = [];
  const enter = {
    Field: ({ selectionSet, loc }: FieldNode) => {
      const type = info.getType();
      if (selectionSet || !loc || !type) return;
      const line = query.slice(query.lastIndexOf('\n', loc.start - 1) + 1);
      const indent = /^[ \t]*/u.exec(line)?.[0] ?? '';
      const inside = buildSelection(type, MAX_DEPTH, `${indent}  `);
      if (inside) insertions.push({ position: loc.end, text: ` {\n${inside}${indent}}` });
    },
  };
  visit(document, visitWithTypeInfo(info, enter));
  return insertions.reduceRight((text, { position, text: added }) => text.slice(0, position) + added + text.slice(position), query);
}

function buildSelection(type: GraphQLOutputType, depth: number, indent: string): string {
  const namedType = getNamedType(type);
  if (!isObjectType(namedType) && !isInterfaceType(namedType)) return '';
  const fields = Object.values(namedType.getFields()).filter(hasNoRequiredArguments);
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).slice(0, MAX_FIELDS);
  const nested = depth < MAX_DEPTH ? fields.find((field) => isObjectType(getNamedType(field.type))) : undefined;
  const inside = nested ? buildSelection(nested.type, depth + 1, `${indent}  `) : '';
  const lines = leaves.map((field) => `${indent}${field.name}\n`).join('');
  return nested && inside ? `${lines}${indent}${nested.name} {\n${inside}${indent}}\n` : lines;
}

function hasNoRequiredArguments(field: GraphQLField<unknown, unknown>): boolean {
  return !field.args.some(isRequiredArgument) && !field.deprecationReason;
}
