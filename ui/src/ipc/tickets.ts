/** Each window has so many numbers of its own. */
const each = 2 ** 28;

let last = 0;

/** Begins to count where no other window counts: `number` is the window's, the main window's is 0. */
export function countTicketsOf(number: number): void {
  last = number * each;
}

/** A number that names one reading, for stopping it. */
export function nextTicket(): number {
  last += 1;
  return last;
}
