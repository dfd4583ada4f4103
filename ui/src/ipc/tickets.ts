/** Number of tickets per window. */
const each = 2 ** 28;

let last = 0;

/** Sets the ticket range of a window. The main window's number is 0. */
export function countTicketsOf(number: number): void {
  last = number * each;
}

/** Returns a new ticket, which identifies a request for cancellation. */
export function nextTicket(): number {
  last += 1;
  return last;
}
