import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';

import { useOrderLists } from '@/base/links/useOrderLists';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { useServiceEvents } from '@/base/useServiceEvents';
import { type ResultPage, type ResultRow, type RowEvents, type SubmissionView, commands } from '@/ipc/bindings';

/** A row with the events that named its order since it was sent; none where its rows are about no order. */
export type ShownRow = ResultRow & { after: RowEvents | null };

/** While events come, all rows are looked through so often. Milliseconds. */
export const soon = 3_000;

/** Whether a submission's rows are about orders. */
export function useIsAboutOrders(submission: SubmissionView): boolean {
  return (useOrderLists().keys[submission.operation] ?? []).length > 0;
}

/** A page of rows with what came after each. */
export async function withLaterEvents(submission: number, page: ResultPage): Promise<ShownRow[]> {
  const after = await commands.submissionEvents(submission, page.rows.map(({ key, batch }) => ({ key, batch })));
  return page.rows.map((row, place) => ({ ...row, after: after?.[place] ?? null }));
}

/** What came after one row was sent, live. */
export function useLaterEvents(submission: SubmissionView, row: ResultRow): UseQueryResult<RowEvents | null> {
  const about = useIsAboutOrders(submission);
  useLive();
  return useQuery({
    queryKey: queryKeys.rowEvents(submission.id, row.key, row.batch),
    queryFn: async () => (await commands.submissionEvents(submission.id, [{ key: row.key, batch: row.batch }]))?.[0] ?? null,
    enabled: about && row.batch !== null,
    gcTime: 0,
    retry: false,
  });
}

/** How many accepted rows haven't begun, live; none where it isn't about orders. */
export function useNotBegun(submission: SubmissionView): number | null {
  const about = useIsAboutOrders(submission);
  useLive();
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

function useLive() {
  const queries = useQueryClient();
  useServiceEvents(() => void refetchQueries(queries, queryKeys.laterEvents), soon);
}
