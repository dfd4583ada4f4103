import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode, type VariableDefinitionNode, parse, print } from 'graphql';

/** The query's operations; none while its text can't be read. */
export function operationsOf(query: string): OperationDefinitionNode[] {
  return (
    parsed(query)?.definitions.flatMap((definition) => (definition.kind === Kind.OPERATION_DEFINITION ? [definition] : [])) ?? []
  );
}

export function operationNames(query: string): string[] {
  return operationsOf(query).flatMap(({ name }) => name?.value ?? []);
}

/** The name of the operation around that place in the text. */
export function operationAt(query: string, place: number): string | null {
  const around = operationsOf(query).find(({ loc }) => loc && loc.start <= place && place <= loc.end);
  return around?.name?.value ?? null;
}

/** The operation to run: the wanted one if the query has it, else the first of several. A single one needs no name. */
export function operationToRun(query: string, wanted: string | null): string | null {
  const names = operationNames(query);
  if (wanted && names.includes(wanted)) return wanted;
  return names.length > 1 ? (names[0] ?? null) : null;
}

/** The name in a query's text, also while it can't be parsed. */
export function nameOf(query: string): string | null {
  return /^[^#\n]*\bquery\s+(\w+)/mu.exec(query)?.[1] ?? null;
}

/** The variables that the operations declare, each once. */
export function declaredVariables(query: string): VariableDefinitionNode[] {
  const all = operationsOf(query).flatMap(({ variableDefinitions }) => variableDefinitions ?? []);
  return [...new Map(all.map((definition) => [definition.variable.name.value, definition])).values()];
}

/** The operations with their declarations and without selections. The text stays the same while only selections change. */
export function declarations(query: string): string {
  const nothing: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }] };
  return operationsOf(query)
    .map((operation) => print({ ...operation, directives: [], selectionSet: nothing }))
    .join('\n');
}

export function parsed(query: string): DocumentNode | null {
  try {
    return parse(query);
  } catch {
    // The editor marks the place, and the engine says it if the query is run.
    return null;
  }
}
