import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { type PlanView, type SubmissionView, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { windowLabel } from '@/ipc/windowLabel';

/** Delay between an event from a site and the refetch of the app state, in milliseconds. Rendering new rows comes first. */
const REFETCH_DELAY = 120;

/** Updates the query cache from engine events. Applies preferences that another window changed. */
export function CacheUpdates() {
  const client = useQueryClient();
  const { applyExternalChange } = usePreferences();
  const request = useRef(0);
  useEffect(
    () =>
      listen(events.submissionChanged, (view) => {
        client.setQueryData(queryKeys.submission(view.id), view);
        client.setQueryData<SubmissionView[]>(queryKeys.submissions, (all) => replaceSubmission(all, view));
        client.setQueryData<PlanView>(queryKeys.plan(view.plan), (plan) => plan && { ...plan, submissions: replaceSubmission(plan.submissions, view) });
        refreshApprovals(client, view);
        // Whether the plan's next step starts isn't part of the event, so the plan is refetched.
        if (view.state !== 'running') void client.invalidateQueries({ queryKey: queryKeys.plan(view.plan) });
        // The rate limit changes with every batch. While rows are sent, the app state is refetched at most every 2 seconds.
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
        client.setQueryData<SubmissionView[]>(queryKeys.submissions, (all) => replaceSubmission(all, view));
        void client.invalidateQueries({ queryKey: queryKeys.plan(view.plan) });
        refreshApprovals(client, view);
      }),
    [client],
  );
  useEffect(() => {
    const readAgain = () => void refetchQueries(client, queryKeys.app);
    let timer: number | null = null;
    // The engine sends this event after each page that it reads. The delay lets the rows render first.
    const readSoon = () => {
      timer ??= window.setTimeout(() => {
        timer = null;
        readAgain();
      }, REFETCH_DELAY);
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
        if (changed.window !== windowLabel()) applyExternalChange(changed.preferences);
      }),
    [applyExternalChange],
  );
  useEffect(() => listen(events.updateChecked, () => void client.invalidateQueries({ queryKey: queryKeys.updates })), [client]);
  return null;
}

/** Refetches the approvals that wait for a decision, if the submission has an approval and isn't running. */
function refreshApprovals(client: QueryClient, view: SubmissionView): void {
  if (view.approval !== null && view.state !== 'running') void client.invalidateQueries({ queryKey: queryKeys.approvals });
}

function replaceSubmission<All extends SubmissionView[] | undefined>(all: All, view: SubmissionView): All;
function replaceSubmission(all: SubmissionView[] | undefined, view: SubmissionView): SubmissionView[] | undefined {
  if (!all) return all;
  const isListed = all.some((one) => one.id === view.id);
  return isListed ? all.map((one) => (one.id === view.id ? view : one)) : [view, ...all];
}
