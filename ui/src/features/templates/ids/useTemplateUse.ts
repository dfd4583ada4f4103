import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';

import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type BrowseProgress, type TemplateUseView, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { nextTicket } from '@/ipc/tickets';

type Reading = { ticket: number; progress: BrowseProgress | null; since: number; at: number };

export type TemplateUse = {
  /** The last result with its age, null if there is none. */
  stored: TemplateUseView | null;
  running: boolean;
  progress: BrowseProgress | null;
  /** Orders per second. */
  rate: number;
  read: () => void;
  stop: () => void;
};

/** Reads which templates a site's orders use. All components share one reading at a time. */
export function useTemplateUse(site: string): TemplateUse {
  const { data } = useQuery({ queryKey: queryKeys.templateUse(site), queryFn: () => commands.templateUse() });
  const { data: reading } = useQuery<Reading | null>({ queryKey: queryKeys.templateUseReading(site), queryFn: () => null, staleTime: Infinity, gcTime: Infinity });
  const read = useCallback(async () => {
    const ticket = nextTicket();
    const since = Date.now();
    queryClient.setQueryData<Reading>(queryKeys.templateUseReading(site), { ticket, progress: null, since, at: since });
    const channel = createChannel<BrowseProgress>((progress) =>
      queryClient.setQueryData<Reading | null>(queryKeys.templateUseReading(site), (open) =>
        open?.ticket === ticket ? { ticket, progress, since, at: Date.now() } : open,
      ),
    );
    try {
      queryClient.setQueryData(queryKeys.templateUse(site), await commands.templateUseRead(ticket, channel));
      await queryClient.invalidateQueries({ queryKey: queryKeys.templateReadings });
    } catch (cause) {
      showProblemNotice(cause);
    } finally {
      queryClient.setQueryData(queryKeys.templateUseReading(site), null);
    }
  }, [site]);
  const ticket = reading?.ticket;
  return {
    stored: data ?? null,
    running: Boolean(reading),
    progress: reading?.progress ?? null,
    rate: reading?.progress ? reading.progress.rows / Math.max(0.1, (reading.at - reading.since) / 1000) : 0,
    read: useCallback(() => void read(), [read]),
    stop: useCallback(() => {
      if (ticket !== undefined) void commands.ticketStop(ticket).catch(() => undefined);
    }, [ticket]),
  };
}

