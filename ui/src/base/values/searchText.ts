/** Removes case and accents. */
function foldText(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase();
}

/** Whether a text contains every word of a query. */
export function matchesAll(text: string, query: string): boolean {
  const searched = foldText(text);
  return foldText(query)
    .split(/\s+/u)
    .every((word) => searched.includes(word));
}
