/** Number of tickets per window. */
const TICKETS_PER_WINDOW = 2 ** 28;

let lastTicket = 0;

/** Sets the ticket range of a window. The main window's number is 0. */
export function countTicketsOf(number: number): void {
  lastTicket = number * TICKETS_PER_WINDOW;
}

/** Returns a new ticket, which identifies a request for cancellation. */
export function nextTicket(): number {
  lastTicket += 1;
  return lastTicket;
}
