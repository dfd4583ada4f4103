let last = 0;

/** A number that names one reading, for stopping it. */
export function nextTicket(): number {
  last += 1;
  return last;
}
