import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { type PlanView, type SubmissionView, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { windowLabel } from '@/ipc/windowLabel';

/** How long news of a site may wait. Milliseconds. */
const breath = 120;

/** Keeps what the window knows fresh: what the engine tells goes into the cache, once for all pages; what another window sets holds here, too. */
export function CacheUpdates() {
  const client = useQueryClient();
  const { follow } = usePreferences();
  const request = useRef(0);
  useEffect(
    () =>
      listen(events.submissionChanged, (view) => {
        client.setQueryData(queryKeys.submission(view.id), view);
        client.setQueryData<SubmissionView[]>(queryKeys.submissions, (all) => placed(all, view));
        client.setQueryData<PlanView>(queryKeys.plan(view.plan), (plan) => plan && { ...plan, submissions: placed(plan.submissions, view) });
        refreshApprovals(client, view);
        // Whether the next step begins only the engine knows.
        if (view.state !== 'running') void client.invalidateQueries({ queryKey: queryKeys.plan(view.plan) });
        // The rate limit moves with every batch; once in a while is enough to see it.
        if (view.state !== 'running' || Date.now() - request.current > 2000) {
          request.current = Date.now();
          void client.invalidateQueries({ queryKey: queryKeys.app });
        }
      }),
    [client],
  );
  useEffect(
    () =>
      listen(events.teamSubmissionChanged, (view) => {
        client.setQueryData(queryKeys.submission(view.id), view);
        client.setQueryData<SubmissionView[]>(queryKeys.submissions, (all) => placed(all, view));
        void client.invalidateQueries({ queryKey: queryKeys.plan(view.plan) });
        refreshApprovals(client, view);
      }),
    [client],
  );
  useEffect(() => {
    const readAgain = () => void refetchQueries(client, queryKeys.app);
    let timer: number | null = null;
    // Told with each page that was read: what is drawn of that comes first.
    const readSoon = () => {
      timer ??= window.setTimeout(() => {
        timer = null;
        readAgain();
      }, breath);
    };
    const stop = listen(events.siteChanged, readSoon, readAgain);
    return () => {
      stop();
      if (timer !== null) window.clearTimeout(timer);
    };
  }, [client]);
  useEffect(
    () =>
      listen(events.preferencesChanged, (changed) => {
        if (changed.window !== windowLabel()) follow(changed.preferences);
      }),
    [follow],
  );
  useEffect(() => listen(events.updateChecked, () => void client.invalidateQueries({ queryKey: queryKeys.updates })), [client]);
  return null;
}

/** What waits for a second person, where one more does, or somebody decided. */
function refreshApprovals(client: QueryClient, view: SubmissionView): void {
  if (view.approval !== null && view.state !== 'running') void client.invalidateQueries({ queryKey: queryKeys.approvals });
}

function placed<All extends SubmissionView[] | undefined>(all: All, view: SubmissionView): All;
function placed(all: SubmissionView[] | undefined, view: SubmissionView): SubmissionView[] | undefined {
  if (!all) return all;
  const listed = all.some((one) => one.id === view.id);
  return listed ? all.map((one) => (one.id === view.id ? view : one)) : [view, ...all];
}
