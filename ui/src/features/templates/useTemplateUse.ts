import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';

import { client } from '../../app/client';
import { tellProblem } from '../../components/tellProblem';
import { type BrowseProgress, type TemplateUseView, commands } from '../../ipc/bindings';
import { nextTicket } from '../../ipc/tickets';
import { watching } from '../../ipc/watching';

type Reading = { ticket: number; progress: BrowseProgress | null; since: number; at: number };

export type TemplateUse = {
  /** What was read last, with its age; nothing where it wasn't. */
  known: TemplateUseView | null;
  running: boolean;
  progress: BrowseProgress | null;
  /** Orders per second. */
  rate: number;
  read: () => void;
  stop: () => void;
};

/** Which templates a site's orders are made by. There is one reading at a time, wherever it was begun. */
export function useTemplateUse(site: string): TemplateUse {
  const { data } = useQuery({ queryKey: known(site), queryFn: () => commands.templateUse() });
  const { data: reading } = useQuery<Reading | null>({ queryKey: under(site), queryFn: () => null, staleTime: Infinity, gcTime: Infinity });
  const read = useCallback(async () => {
    const ticket = nextTicket();
    const since = Date.now();
    client.setQueryData<Reading>(under(site), { ticket, progress: null, since, at: since });
    const told = watching<BrowseProgress>((progress) =>
      client.setQueryData<Reading | null>(under(site), (open) =>
        open?.ticket === ticket ? { ticket, progress, since, at: Date.now() } : open,
      ),
    );
    try {
      client.setQueryData(known(site), await commands.templateUseRead(ticket, told));
      await client.invalidateQueries({ queryKey: ['templates'] });
    } catch (cause) {
      tellProblem(cause);
    } finally {
      client.setQueryData(under(site), null);
    }
  }, [site]);
  const ticket = reading?.ticket;
  return {
    known: data ?? null,
    running: Boolean(reading),
    progress: reading?.progress ?? null,
    rate: reading?.progress ? reading.progress.rows / Math.max(0.1, (reading.at - reading.since) / 1000) : 0,
    read: useCallback(() => void read(), [read]),
    stop: useCallback(() => {
      if (ticket !== undefined) void commands.ticketStop(ticket).catch(() => undefined);
    }, [ticket]),
  };
}

const known = (site: string) => ['template-use', site];
const under = (site: string) => ['template-use-reading', site];
