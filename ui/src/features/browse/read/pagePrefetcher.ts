import type { StoredPage } from '@/ipc/bindings';

/** Maximum age of a prefetched page, in milliseconds. */
const MAX_AGE = 10_000;

type Read = (signal: AbortSignal) => Promise<StoredPage>;

/** Prefetches one page: when the pointer reaches its button, and at the latest on the click. */
export type PagePrefetcher<Request> = {
  /** Requests a page, unless it is in flight. An unused earlier request is canceled. */
  prefetch: (request: Request) => void;
  /** Removes and returns the page if it has arrived. */
  takePage: (request: Request) => StoredPage | null;
  /** Removes and returns the request for the page if it is recent. The signal cancels it. */
  takeRequest: (request: Request, signal: AbortSignal) => Promise<StoredPage> | null;
  /** Cancels an unused request. */
  cancel: () => void;
};

/** Creates a prefetcher. `read` requests a page, and `same` compares two requests. */
export function createPagePrefetcher<Request>(read: (request: Request) => Read, same: (one: Request, other: Request) => boolean): PagePrefetcher<Request> {
  let current: { request: Request; at: number; stop: AbortController; reading: Promise<StoredPage>; page: StoredPage | null } | null = null;
  const hasRequest = (request: Request) => current !== null && same(current.request, request) && Date.now() - current.at < MAX_AGE;
  const cancel = () => {
    current?.stop.abort();
    current = null;
  };
  return {
    prefetch: (request) => {
      if (hasRequest(request)) return;
      cancel();
      const stop = new AbortController();
      const reading = read(request)(stop.signal);
      const one = { request, at: Date.now(), stop, reading, page: null as StoredPage | null };
      // The caller that takes the page handles errors.
      reading.then((page) => { one.page = page; }).catch(() => undefined);
      current = one;
    },
    takePage: (request) => {
      if (!current?.page || !hasRequest(request)) return null;
      const { page } = current;
      current = null;
      return page;
    },
    takeRequest: (request, signal) => {
      if (current === null || !hasRequest(request)) return null;
      const { stop, reading } = current;
      current = null;
      signal.addEventListener('abort', () => stop.abort(), { once: true });
      return reading;
    },
    cancel,
  };
}
