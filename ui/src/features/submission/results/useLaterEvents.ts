import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';

import { useOrderLists } from '@/base/links/useOrderLists';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { useServiceEvents } from '@/base/useServiceEvents';
import { type ResultPage, type ResultRow, type RowEvents, type SubmissionView, commands } from '@/ipc/bindings';

/** A row with the later events of its order. `after` is null if the rows aren't about orders. */
export type RowWithEvents = ResultRow & { after: RowEvents | null };

/** Minimum time between refetches when events arrive, in milliseconds. */
export const REFETCH_INTERVAL = 3_000;

export function useIsAboutOrders(submission: SubmissionView): boolean {
  return (useOrderLists().keys[submission.operation] ?? []).length > 0;
}

/** Adds to each row the events that its order had after sending. */
export async function withLaterEvents(submission: number, page: ResultPage): Promise<RowWithEvents[]> {
  const after = await commands.submissionEvents(submission, page.rows.map(({ key, batch }) => ({ key, batch })));
  // A skipped row wasn't sent, so the events of its order aren't about it.
  return page.rows.map((row, place) => ({ ...row, after: row.result === 'skipped' ? null : (after?.[place] ?? null) }));
}

/** Returns the later events of one row's order, and keeps them up to date. */
export function useLaterEvents(submission: SubmissionView, row: ResultRow): UseQueryResult<RowEvents | null> {
  const isAboutOrders = useIsAboutOrders(submission);
  useLiveEvents();
  return useQuery({
    queryKey: queryKeys.rowEvents(submission.id, row.key, row.batch),
    queryFn: async () => (await commands.submissionEvents(submission.id, [{ key: row.key, batch: row.batch }]))?.[0] ?? null,
    enabled: isAboutOrders && row.batch !== null && row.result !== 'skipped',
    gcTime: 0,
    retry: false,
  });
}

/** Returns the number of accepted rows whose order hasn't started. Null if the rows aren't about orders, or until it is known. */
export function useNotBegun(submission: SubmissionView): number | null {
  const about = useIsAboutOrders(submission);
  useLiveEvents();
  const { data } = useQuery({
    queryKey: queryKeys.ordersNotBegun(submission.id, submission.counts.accepted),
    queryFn: () => commands.submissionNotBegun(submission.id, 0, 0),
    enabled: about && submission.counts.accepted > 0 && submission.state !== 'running',
    placeholderData: (before) => before,
    gcTime: 0,
    retry: false,
  });
  return data?.total ?? null;
}

function useLiveEvents() {
  const queries = useQueryClient();
  useServiceEvents(() => void refetchQueries(queries, queryKeys.laterEvents), REFETCH_INTERVAL);
}
