import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { type SubmissionView, events } from '../ipc/bindings';
import { listen } from '../ipc/listen';
import { keys } from './state';

/** Keeps what the window knows fresh: what the engine tells goes into the cache, once for all pages. */
export function Events() {
  const client = useQueryClient();
  useEffect(
    () =>
      listen(events.submissionChanged, (view) => {
        client.setQueryData(keys.submission(view.id), view);
        client.setQueryData<SubmissionView[]>(keys.submissions, (all) => placed(all, view));
        if (view.state !== 'running') void client.invalidateQueries({ queryKey: keys.app });
      }),
    [client],
  );
  useEffect(
    () => listen(events.siteChanged, () => void client.invalidateQueries({ queryKey: keys.app })),
    [client],
  );
  return null;
}

function placed(all: SubmissionView[] | undefined, view: SubmissionView): SubmissionView[] | undefined {
  if (!all) return all;
  const known = all.some((one) => one.id === view.id);
  return known ? all.map((one) => (one.id === view.id ? view : one)) : [view, ...all];
}
