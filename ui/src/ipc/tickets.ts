/** Number of tickets per window, so that the tickets of two windows differ. */
const TICKETS_PER_WINDOW = 2 ** 28;

let lastTicket = 0;

/** Sets the range of tickets that this window uses. The main window has the number 0. */
export function setTicketRange(number: number): void {
  lastTicket = number * TICKETS_PER_WINDOW;
}

/** Returns a new ticket. It identifies a request that can be canceled. */
export function nextTicket(): number {
  lastTicket += 1;
  return lastTicket;
}
