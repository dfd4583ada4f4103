import { type GraphQLField, type GraphQLOutputType, type GraphQLSchema, getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';

const deepest = 3;
const mostFields = 8;

/** A query to begin with: what the schema lets one ask for without naming anything. */
export function exampleQuery(schema: GraphQLSchema): string | null {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  const first = fields.find((field) => free(field) && !isLeafType(getNamedType(field.type)));
  const inside = first && selection(first.type, 2, '    ');
  return first && inside ? `query Example {\n  ${first.name} {\n${inside}  }\n}\n` : null;
}

function selection(type: GraphQLOutputType, depth: number, indent: string): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(free);
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type))).slice(0, mostFields);
  const nested = depth < deepest ? fields.find((field) => isObjectType(getNamedType(field.type))) : undefined;
  const inside = nested ? selection(nested.type, depth + 1, `${indent}  `) : '';
  const lines = leaves.map((field) => `${indent}${field.name}\n`).join('');
  return nested && inside ? `${lines}${indent}${nested.name} {\n${inside}${indent}}\n` : lines;
}

function free(field: GraphQLField<unknown, unknown>): boolean {
  return !field.args.some(isRequiredArgument) && !field.deprecationReason;
}
