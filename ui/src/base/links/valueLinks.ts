import type { Field, Operation, OrderLists, RefersTo } from '@/ipc/bindings';
import type { Place } from '../navigation';

/** Returns the place that a field's value links to. */
export type ValueLink = (value: string) => Place;

type Reference = { list: string | undefined; path: string; name: string; to: RefersTo };

/**
 * Returns link targets by field path, including fields of parts (`rawMaterials/code`). A field has the link of the request field
 * that is read back into it. Without one, all request fields with its path or name must refer to the same kind of item.
 */
export function linksOf(operation: Operation, operations: readonly Operation[], orders: OrderLists): Map<string, ValueLink> {
  const allReferences = findReferences(operations);
  const links = new Map<string, ValueLink>();
  for (const { path, name } of flattenFields(operation.answer?.fields ?? [])) {
    const ownReference = allReferences.find((one) => one.list === operation.id && one.path === path);
    const to = ownReference?.to ?? (path === name ? sharedReference(name, allReferences) : uniqueReference(allReferences.filter((one) => one.path === path)));
    // A row's own identifier has no link.
    if (to && to.list !== operation.id && to.single !== operation.id) links.set(path, linkTo(to, orders));
  }
  return links;
}

/** Returns link targets by column name, for columns of an unknown list. */
export function linksOfColumns(names: readonly string[], operations: readonly Operation[], orders: OrderLists): Map<string, ValueLink> {
  const known = findReferences(operations);
  const links = new Map<string, ValueLink>();
  // If all lists with these fields agree on the field with the order code, the column of that name links to orders.
  const listsWithColumns = operations.filter(({ kind, answer }) => kind === 'read' && answer && names.every((name) => answer.fields.some((field) => field.name === name)));
  const orderFields = new Set(listsWithColumns.map(({ id }) => orders.fields[id]));
  const [field] = orderFields;
  for (const name of names) {
    const to = sharedReference(name, known);
    if (orderFields.size === 1 && name === field) links.set(name, toOrder);
    else if (to) links.set(name, linkTo(to, orders));
  }
  return links;
}

/** Returns the first list with a filter for its own key, and the name of that parameter. */
export function listByCode(operations: readonly Operation[]): { operation: Operation; parameter: string } | null {
  for (const operation of operations) {
    const parameter = operation.parameters.find((one) => one.narrows !== null && one.narrows === operation.key[0]);
    if (operation.kind === 'read' && parameter) return { operation, parameter: parameter.name };
  }
  return null;
}

const toOrder: ValueLink = (code) => ({ page: 'order', code });

function linkTo(to: RefersTo, orders: OrderLists): ValueLink {
  const { list, single, field } = to;
  if (list && orders.fields[list] === field) return toOrder;
  if (list) return (value) => ({ page: 'browse', operation: list, parameters: {}, find: value });
  return (value) => ({ page: 'browse', operation: single ?? '', parameters: { [field]: value } });
}

/** Returns the item that a field name refers to. Undefined if requests disagree or a list uses the name for its own key. */
function sharedReference(name: string, allReferences: readonly Reference[]): RefersTo | undefined {
  const sameName = allReferences.filter((one) => one.name === name);
  return sameName.some(({ to }) => to.list && to.field === name) ? undefined : uniqueReference(sameName);
}

function uniqueReference([first, ...others]: readonly Reference[]): RefersTo | undefined {
  if (!first) return undefined;
  const same = ({ to }: Reference) => to.list === first.to.list && to.single === first.to.single && to.field === first.to.field;
  return others.every(same) ? first.to : undefined;
}

/** Returns the request fields that name an item with a list or single read. */
function findReferences(operations: readonly Operation[]): Reference[] {
  return operations.flatMap(({ request, readBack }) =>
    flattenFields(request?.fields ?? []).flatMap(({ path, name, refersTo: to }) => {
      if (!to || (to.within ?? []).length > 0 || !(to.list ?? to.single)) return [];
      return [{ list: readBack?.entry ? undefined : readBack?.list, path, name, to }];
    }),
  );
}

type FlatField = { path: string; name: string; refersTo: RefersTo | null };

function flattenFields(fields: readonly Field[], above = ''): FlatField[] {
  return fields.flatMap(({ name, refersTo, fields: inner }) => [{ path: `${above}${name}`, name, refersTo }, ...flattenFields(inner, `${above}${name}/`)]);
}
