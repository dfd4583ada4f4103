import type { FindingCode, FoundValue, TextChange } from '../../ipc/bindings';

/** What would be replaced: by what was typed, else by the suggestion; an emptied field replaces nothing. */
export function changesOf(values: readonly FoundValue[], typed: Readonly<Record<string, string>>): (TextChange & { count: number })[] {
  return values.flatMap(({ text, count, suggestion }) => {
    const to = (typed[text] ?? suggestion ?? '').trim();
    return to === '' || to === text ? [] : [{ from: text, to, count }];
  });
}

/** Rows that share a key: of each, the first can stay. */
export function aboutKey(code: FindingCode): boolean {
  return code === 'duplicate-key';
}
