import type { PreviewChoice, PreviewCounts, PreviewKind, PreviewView, Value as Json } from '@/ipc/bindings';

/** In the order in which a planner asks. */
export const kinds: readonly PreviewKind[] = ['new', 'changed', 'same', 'conflict', 'unknown', 'blocked'];

/** Without these nothing is missed where there are none. */
const rare = new Set<PreviewKind>(['conflict', 'unknown']);

/** The totals to be shown: the four that are always asked for, and the rare ones where there are any. */
export function shownKinds(counts: PreviewCounts): PreviewKind[] {
  return kinds.filter((kind) => !rare.has(kind) || counts[kind] > 0);
}

/** What stays where it is because of the preview. */
export function skipped(counts: PreviewCounts, choice: PreviewChoice): number {
  const same = choice.sendSame ? 0 : counts.same;
  return same + (choice.conflicts === 'send' ? 0 : counts.conflict);
}

/** True where a person has to say what becomes of conflicts. */
export function undecided(preview: PreviewView | null, choice: PreviewChoice): boolean {
  return preview !== null && preview.counts.conflict > 0 && choice.conflicts === 'stop';
}

/** `rawMaterials[M-1].quantity` as the field `rawMaterials.quantity` of the part `M-1`. */
export function split(path: string): { field: string; part: string | null } {
  const from = path.indexOf('[');
  const to = path.lastIndexOf(']');
  if (from < 0 || to < from) return { field: path, part: null };
  return { field: path.slice(0, from) + path.slice(to + 1), part: path.slice(from + 1, to) };
}

type Words = { yes: string; no: string; decimal: (value: number) => string; serviceTime: (text: string) => string };

/** A value of a field as a person reads it; nothing where there is none. Codes and texts stay as they are. */
export function shown(value: Json, kind: string | null, words: Words): string | null {
  if (value === null || value === '') return null;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return kind === 'integer' ? String(value) : words.decimal(value);
  if (typeof value === 'string') return kind === 'date-time' ? words.serviceTime(value) : value;
  return JSON.stringify(value);
}
