import { type GraphQLSchema, isInputObjectType, isInterfaceType, isObjectType } from 'graphql';

/** A type or field, by name. */
export type DocsPlace = { type: string; field?: string };

export type SchemaMatch = { place: DocsPlace; argument?: string };

type Field = { name: string; args?: readonly { name: string }[] };

const MAX_MATCHES = 100;

/** Returns types, fields and arguments whose names contain the text. Matches in the current type come first. */
export function searchSchema(schema: GraphQLSchema, text: string, within?: string): SchemaMatch[] {
  const wanted = text.toLowerCase();
  const matches = (name: string) => name.toLowerCase().includes(wanted);
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const found = types.flatMap((type): SchemaMatch[] => {
    const own: SchemaMatch[] = matches(type.name) ? [{ place: { type: type.name } }] : [];
    if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return own;
    const fields = Object.values<Field>(type.getFields());
    return own.concat(
      fields.flatMap(({ name, args = [] }): SchemaMatch[] => {
        const place = { type: type.name, field: name };
        return matches(name) ? [{ place }] : args.filter((one) => matches(one.name)).map((one) => ({ place, argument: one.name }));
      }),
    );
  });
  const rank = ({ place: { type, field } }: SchemaMatch) => (type === within ? 0 : field === undefined ? 1 : 2);
  return found.toSorted((one, other) => rank(one) - rank(other)).slice(0, MAX_MATCHES);
}
