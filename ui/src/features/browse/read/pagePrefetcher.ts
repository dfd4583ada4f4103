import type { StoredPage } from '@/ipc/bindings';

/** Maximum age of a prefetched page, in milliseconds. */
const MAX_AGE = 10_000;

type Read = (signal: AbortSignal) => Promise<StoredPage>;

/** Prefetches one page: when the pointer reaches its button, and at the latest on the click. */
export type PagePrefetcher<Request> = {
  /** Requests a page, unless it is in flight. An unused earlier request is canceled. */
  begin: (request: Request) => void;
  /** Removes and returns the page if it has arrived. */
  takeReady: (request: Request) => StoredPage | null;
  /** Removes and returns the request for the page if it is recent. The signal cancels it. */
  take: (request: Request, signal: AbortSignal) => Promise<StoredPage> | null;
  /** Cancels an unused request. */
  end: () => void;
};

/** Creates a prefetcher. `read` requests a page, and `same` compares two requests. */
export function createPagePrefetcher<Request>(read: (request: Request) => Read, same: (one: Request, other: Request) => boolean): PagePrefetcher<Request> {
  let begun: { request: Request; at: number; stop: AbortController; reading: Promise<StoredPage>; page: StoredPage | null } | null = null;
  const holds = (request: Request) => begun !== null && same(begun.request, request) && Date.now() - begun.at < MAX_AGE;
  const end = () => {
    begun?.stop.abort();
    begun = null;
  };
  return {
    begin: (request) => {
      if (holds(request)) return;
      end();
      const stop = new AbortController();
      const reading = read(request)(stop.signal);
      const one = { request, at: Date.now(), stop, reading, page: null as StoredPage | null };
      // The caller that takes the page handles errors.
      reading.then((page) => { one.page = page; }).catch(() => undefined);
      begun = one;
    },
    takeReady: (request) => {
      if (!begun?.page || !holds(request)) return null;
      const { page } = begun;
      begun = null;
      return page;
    },
    take: (request, signal) => {
      if (begun === null || !holds(request)) return null;
      const { stop, reading } = begun;
      begun = null;
      signal.addEventListener('abort', () => stop.abort(), { once: true });
      return reading;
    },
    end,
  };
}
