import { useCallback, useMemo, useRef, useState } from 'react';

import { type ImportView, type OpeningView, commands } from '@/ipc/bindings';
import { type Channel, createChannel } from '@/ipc/channel';
import { nextTicket } from '@/ipc/tickets';

/** A file that is read at this moment: what is known of it, and its first rows as they stand. */
export type Opening = OpeningView;

/** Starts to read a file; the number names the reading, for stopping it. */
export type Start = (ticket: number, channel: Channel<OpeningView>) => Promise<ImportView | null>;

/** Below this, a file is there before its first rows could be looked at. */
const soon = 150;

type Result = { view: ImportView | null; stopped: boolean };

/** One file is read at a time: another one ends the reading of the one before. */
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
    async (start: Start): Promise<Result> => {
      stop();
      const ticket = nextTicket();
      running.current = ticket;
      const mine = () => running.current === ticket;
      let latest: Opening | null = null;
      let shown = false;
      const channel = createChannel<OpeningView>((message) => {
        // The first rows are told once.
        latest = { ...message, head: message.head.length > 0 ? message.head : (latest?.head ?? []) };
        if (shown && mine()) setOpening(latest);
      });
      const timer = window.setInterval(() => {
        if (!latest || !mine()) return;
        shown = true;
        setOpening(latest);
        window.clearInterval(timer);
      }, soon);
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
