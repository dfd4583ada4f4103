/** Removes case and accents. */
function folded(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase();
}

/** Whether a text contains every word of a query. */
export function matchesAll(text: string, query: string): boolean {
  const searched = folded(text);
  return folded(query)
    .split(/\s+/u)
    .every((word) => searched.includes(word));
}
