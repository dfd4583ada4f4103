import type { StoredPage } from '@/ipc/bindings';

/** How old a page that was asked for ahead may be when it is turned to: about as long as a person looks at the one before. Milliseconds. */
const fresh = 10_000;

type Read = (signal: AbortSignal) => Promise<StoredPage>;

/** One page that is asked for before it is drawn: when the pointer comes to its button or rests there, and at the latest with the click itself. */
export type PagesAhead<Request> = {
  /** Asks, unless that page is being asked for already. What was asked for before and nobody took ends. */
  begin: (request: Request) => void;
  /** The page, once, where it has come already. */
  takeReady: (request: Request) => StoredPage | null;
  /** The page, once, where it was asked for a moment ago. It ends where the signal says so. */
  take: (request: Request, signal: AbortSignal) => Promise<StoredPage> | null;
  /** Ends what nobody took. */
  end: () => void;
};

/** `read` asks for a page; `same` tells whether two requests mean the same page. */
export function pagesAhead<Request>(read: (request: Request) => Read, same: (one: Request, other: Request) => boolean): PagesAhead<Request> {
  let begun: { request: Request; at: number; stop: AbortController; reading: Promise<StoredPage>; page: StoredPage | null } | null = null;
  const holds = (request: Request) => begun !== null && same(begun.request, request) && Date.now() - begun.at < fresh;
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
      // Whoever takes it hears of what went wrong; nobody else has to.
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
