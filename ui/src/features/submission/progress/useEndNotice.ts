import { useEffect, useRef } from 'react';

import { type SubmissionId, type SubmissionView, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { useSubmissionHeadline } from '../common/useHeadline';

/** Sends a desktop notification when a running submission ends. The engine skips it if the window is focused. */
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
