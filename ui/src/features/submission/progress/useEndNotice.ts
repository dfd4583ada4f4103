import { useEffect, useRef } from 'react';

import { type SubmissionId, type SubmissionView, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { useSubmissionHeadline } from '../common/useHeadline';

/** Tells on the desktop how a submission ended that was seen running, unless somebody looks at the window: the backend knows that. */
export function useEndNotice(): void {
  const headline = useSubmissionHeadline();
  const running = useRef(new Set<SubmissionId>());
  useEffect(
    () =>
      listen(events.submissionChanged, (view: SubmissionView) => {
        if (view.state === 'running') running.current.add(view.id);
        else if (running.current.delete(view.id)) {
          const { main, rest } = headline(view);
          commands.notifyEnd(main, rest).catch(() => undefined);
        }
      }),
    [headline],
  );
}
