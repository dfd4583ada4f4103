import { QueryClient } from '@tanstack/react-query';

/** Commands run on this computer, so there are no retries and no refetch on focus. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, staleTime: 10_000, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
