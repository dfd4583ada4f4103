import { useCallback, useMemo, useRef, useState } from 'react';

import { type ImportView, type OpeningView, commands } from '@/ipc/bindings';
import { type Channel, createChannel } from '@/ipc/channel';
import { nextTicket } from '@/ipc/tickets';

/** A file that is being read: its known properties and first rows. */
export type Opening = OpeningView;

/** Starts reading a file. The ticket identifies the reading for cancellation. */
export type StartReading = (ticket: number, channel: Channel<OpeningView>) => Promise<ImportView | null>;

/** Delay before progress is shown, in milliseconds. */
const PROGRESS_DELAY = 150;

type Result = { view: ImportView | null; stopped: boolean };

/** Reads one file at a time. Reading another file cancels the previous one. */
export function useFileReading() {
  const [opening, setOpening] = useState<Opening | null>(null);
  const running = useRef<number | null>(null);

  const stop = useCallback(() => {
    const ticket = running.current;
    running.current = null;
    setOpening(null);
    if (ticket !== null) void commands.ticketStop(ticket).catch(() => undefined);
  }, []);

  const read = useCallback(
    async (start: StartReading): Promise<Result> => {
      stop();
      const ticket = nextTicket();
      running.current = ticket;
      const mine = () => running.current === ticket;
      let latest: Opening | null = null;
      let isProgressShown = false;
      const channel = createChannel<OpeningView>((message) => {
        // Only one message contains the first rows.
        latest = { ...message, head: message.head.length > 0 ? message.head : (latest?.head ?? []) };
        if (isProgressShown && mine()) setOpening(latest);
      });
      const timer = window.setInterval(() => {
        if (!latest || !mine()) return;
        isProgressShown = true;
        setOpening(latest);
        window.clearInterval(timer);
      }, PROGRESS_DELAY);
      try {
        const view = await start(ticket, channel);
        return { view, stopped: !mine() };
      } catch (cause) {
        if (!mine()) return { view: null, stopped: true };
        throw cause;
      } finally {
        window.clearInterval(timer);
        if (mine()) {
          running.current = null;
          setOpening(null);
        }
      }
    },
    [stop],
  );
  return useMemo(() => ({ opening, read, stop }), [opening, read, stop]);
}
