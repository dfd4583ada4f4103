import { useCallback, useEffect, useState } from 'react';

import { useImport } from '@/features/import-session';
import { type ImportView, type PreviewProgress, type PreviewView, type Problem, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';

/** Returns the preview of the current import. Null if there is none, or if it was created for another site. */
export function useCurrentPreview(view: ImportView): PreviewView | null {
  const { preview } = useImport();
  return preview && preview.import === view.id && preview.site === view.destination?.site ? preview : null;
}

export type PreviewRun = {
  running: boolean;
  progress: PreviewProgress | null;
  problem: Problem | null;
  start: () => void;
  stop: () => void;
};

type PreviewRunState = Pick<PreviewRun, 'running' | 'progress' | 'problem'>;
const IDLE: PreviewRunState = { running: false, progress: null, problem: null };
const READING: PreviewRunState = { ...IDLE, running: true };

/** Creates the preview. Unmounting cancels it. */
export function usePreviewRun(view: ImportView): PreviewRun {
  const { storePreview } = useImport();
  const [runState, setRunState] = useState<PreviewRunState>(READING);
  // In round 0, no preview is created.
  const [round, setRound] = useState(1);
  const { id } = view;
  useEffect(() => {
    if (round === 0) return undefined;
    const ticket = nextTicket();
    let mine = true;
    const channel = createChannel<PreviewProgress>((progress) => {
      if (mine) setRunState((now) => ({ ...now, progress }));
    });
    commands.previewBuild(id, ticket, channel).then(
      (preview) => {
        if (!mine) return;
        // The preview is created again if the rows changed during the comparison.
        if (preview.stale) setRound((now) => now + 1);
        else storePreview(preview);
      },
      (cause: unknown) => {
        if (mine) setRunState({ ...IDLE, problem: toProblem(cause) });
      },
    );
    return () => {
      mine = false;
      void commands.ticketStop(ticket).catch(() => undefined);
    };
  }, [id, round, storePreview]);
  const start = useCallback(() => {
    setRunState(READING);
    setRound((now) => now + 1);
  }, []);
  const stop = useCallback(() => {
    setRunState(IDLE);
    setRound(0);
  }, []);
  return { ...runState, start, stop };
}
