import { type BrowseProgress, type BrowseQuery, type StoredPage, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { nextTicket } from '@/ipc/tickets';

/** Reads one page. The signal cancels it, and until then `onWait` reports waits for the rate limit. */
export async function requestPage(
  query: BrowseQuery,
  { page, limit }: { page: number; limit: number },
  signal: AbortSignal,
  onWait: (until: string | null) => void,
): Promise<StoredPage> {
  const ticket = nextTicket();
  const stop = () => void commands.ticketStop(ticket).catch(() => undefined);
  const channel = createChannel<BrowseProgress>(({ waitingUntil }) => {
    if (!signal.aborted) onWait(waitingUntil);
  });
  signal.throwIfAborted();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await commands.browsePage(query, page, limit, ticket, channel);
  } finally {
    signal.removeEventListener('abort', stop);
    if (!signal.aborted) onWait(null);
  }
}
