import type { Field, Operation, Provenance } from '@/ipc/bindings';

/** An operation's remaining assumptions in reading order: call, parameters, fields. */
export type Assumptions = { operation: Operation; assumed: string[]; all: number };

type Statement = { name: string; provenance: Provenance };

export function assumptionsOf(operation: Operation): Assumptions {
  // Only statements that a site's contract can settle. Statuses and value limits come from the built-in contract.
  const statements = operation.statements.filter(({ about }) => about === 'method' || about === 'path' || about === 'schema');
  const call = statements.length > 0 ? statements.map(({ about, provenance }) => ({ name: about, provenance })) : [{ name: operation.path, provenance: operation.provenance }];
  const statementsToSettle = [...call, ...operation.parameters, ...flattenFields(operation.request?.fields), ...flattenFields(operation.answer?.fields)];
  const assumed = statementsToSettle.filter(({ provenance }) => provenance.level === 'assumed').map(({ name }) => name);
  return { operation, assumed: [...new Set(assumed)], all: new Set(statementsToSettle.map(({ name }) => name)).size };
}

/** Returns the operations with assumptions, fewest first. */
export function stillAssumed(operations: readonly Operation[]): Assumptions[] {
  const open = operations.map(assumptionsOf).filter(({ assumed }) => assumed.length > 0);
  return open.toSorted((one, other) => one.assumed.length - other.assumed.length);
}

function flattenFields(fields: readonly Field[] | undefined, before = ''): Statement[] {
  const all: Statement[] = [];
  for (const field of fields ?? []) {
    const name = `${before}${field.name}`;
    all.push({ name, provenance: field.provenance }, ...flattenFields(field.fields, `${name}.`));
  }
  return all;
}
