import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode, type VariableDefinitionNode, parse, print } from 'graphql';

/** Returns the query's operations, none if it can't be parsed. */
export function operationsOf(query: string): OperationDefinitionNode[] {
  return (
    parseQuery(query)?.definitions.flatMap((definition) => (definition.kind === Kind.OPERATION_DEFINITION ? [definition] : [])) ?? []
  );
}

export function operationNames(query: string): string[] {
  return operationsOf(query).flatMap(({ name }) => name?.value ?? []);
}

/** Returns the name of the operation at a position in the text. Null if it has no name or there is none. */
export function operationAt(query: string, position: number): string | null {
  const operation = operationsOf(query).find(({ loc }) => loc && loc.start <= position && position <= loc.end);
  return operation?.name?.value ?? null;
}

/** Returns the operation to run: the wanted one if the query has it, else the first of several. Null for a single operation. */
export function operationToRun(query: string, wanted: string | null): string | null {
  const names = operationNames(query);
  if (wanted && names.includes(wanted)) return wanted;
  return names.length > 1 ? (names[0] ?? null) : null;
}

/** Extracts a query's name, even if it can't be parsed. */
export function queryName(query: string): string | null {
  return /^[^#\n]*\bquery\s+(\w+)/mu.exec(query)?.[1] ?? null;
}

/** Returns the variables that the operations declare, without duplicates. */
export function declaredVariables(query: string): VariableDefinitionNode[] {
  const all = operationsOf(query).flatMap(({ variableDefinitions }) => variableDefinitions ?? []);
  return [...new Map(all.map((definition) => [definition.variable.name.value, definition])).values()];
}

/** Returns the operations without their selections, so that edits of selections don't change the result. */
export function withoutSelections(query: string): string {
  const nothing: SelectionSetNode = { kind: Kind.SELECTION_SET, selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } }] };
  return operationsOf(query)
    .map((operation) => print({ ...operation, directives: [], selectionSet: nothing }))
    .join('\n');
}

export function parseQuery(query: string): DocumentNode | null {
  try {
    return parse(query);
  } catch {
    // The editor marks the error, and the engine reports it if the query is run.
    return null;
  }
}
