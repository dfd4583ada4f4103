/** Returns a column's letters in Excel from its 0-based index. */
export function columnLetters(index: number): string {
  let rest = index;
  let letters = '';
  do {
    letters = String.fromCodePoint(65 + (rest % 26)) + letters;
    rest = Math.floor(rest / 26) - 1;
  } while (rest >= 0);
  return letters;
}
