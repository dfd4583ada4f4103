import type { FindingCode, FindingValue, FoundFix, TextChange } from '@/ipc/bindings';

/** What would be replaced: only what a person wrote or took from a suggestion; an empty field replaces nothing. */
export function changesOf(values: readonly FindingValue[], typed: Readonly<Record<string, string>>): (TextChange & { count: number })[] {
  return values.flatMap(({ text, count }) => {
    const to = (typed[text] ?? '').trim();
    return to === '' || to === text ? [] : [{ from: text, to, count }];
  });
}

/** Rows that share a key: of each, the first can stay. */
export function aboutKey(code: FindingCode): boolean {
  return code === 'duplicate-key';
}

/** The ways in which all cells with such a finding can be changed at once. */
export function waysOf(code: FindingCode): readonly FoundFix[] {
  if (code === 'invisible-character') return ['remove-invisible'];
  return code === 'repeated-time' ? ['first-offset', 'second-offset'] : [];
}

/** By way: its words, in `fix.all`. */
export const wayWords = {
  'remove-invisible': 'removeInvisible',
  'first-offset': 'firstOffset',
  'second-offset': 'secondOffset',
} as const satisfies Record<FoundFix, string>;
