import type { Operation, RefersTo } from '../../ipc/bindings';
import type { BrowsePlace } from '../../app/navigation';

/** Where a field's value leads: to the one thing that it names, where a read tells of it. */
export type Lead = (value: string) => BrowsePlace;

/** By field: what its values lead to. What a field names is said of what is sent; a row has it by the same name. */
export function leads(operations: readonly Operation[], list: Operation): ReadonlyMap<string, Lead> {
  const found = new Map<string, Lead>();
  const fields = operations.flatMap((one) => one.request?.fields ?? []);
  for (const { name, refersTo } of fields) {
    const single = refersTo && reads(operations, refersTo);
    if (single && !found.has(name) && list.answer?.fields.some((field) => field.name === name)) {
      found.set(name, (value) => ({ page: 'browse', operation: single, parameters: { [refersTo.field]: value } }));
    }
  }
  return found;
}

/** The read that tells of one such thing by its name alone. */
function reads(operations: readonly Operation[], { single, field }: RefersTo): string | null {
  const read = operations.find((one) => one.id === single);
  return read?.parameters.some((parameter) => parameter.name === field) ? read.id : null;
}
