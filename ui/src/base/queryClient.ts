import { QueryClient } from '@tanstack/react-query';

/** Commands answer from the same machine: nothing is asked twice by itself, and nothing is asked when the window gets the focus. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 10_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
