import type { FindingCode, FindingValue, FoundFix, TextChange } from '@/ipc/bindings';

/** Returns the replacements that were typed or suggested. Empty inputs replace nothing. */
export function changesOf(values: readonly FindingValue[], typed: Readonly<Record<string, string>>): (TextChange & { count: number })[] {
  return values.flatMap(({ text, count }) => {
    const to = (typed[text] ?? '').trim();
    return to === '' || to === text ? [] : [{ from: text, to, count }];
  });
}

/** Whether a finding is about rows with the same key, of which the first can stay. */
export function isAboutKey(code: FindingCode): boolean {
  return code === 'duplicate-key';
}

/** Returns the automatic fixes for all cells with a finding. */
export function automaticFixes(code: FindingCode): readonly FoundFix[] {
  if (code === 'invisible-character') return ['remove-invisible'];
  return code === 'repeated-time' ? ['first-offset', 'second-offset'] : [];
}

/** Locale keys in `fix.all` by fix. */
export const FIX_KEYS = {
  'remove-invisible': 'removeInvisible',
  'first-offset': 'firstOffset',
  'second-offset': 'secondOffset',
} as const satisfies Record<FoundFix, string>;
