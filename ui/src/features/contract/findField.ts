import type { FieldPlace, Names, Operation } from '@/ipc/bindings';

/** Finds a field or parameter by its path, with its display names. */
export function findField(operation: Operation, place: FieldPlace, path: string): { names: Names } | undefined {
  if (place === 'parameter') return operation.parameters.find(({ name }) => name === path);
  let fields = operation[place]?.fields ?? [];
  let found;
  for (const part of path.split('.')) {
    found = fields.find(({ name }) => name === part);
    if (!found) return undefined;
    fields = found.fields;
  }
  return found;
}
