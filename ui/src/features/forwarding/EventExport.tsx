import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { type EventQuery, type ExportFormat, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { nextTicket } from '@/ipc/tickets';
import { ReplayDialog } from './ReplayDialog';

/** Exports or replays the ticked events, or else the filtered ones. */
export function EventExport({ query }: { query: EventQuery }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [replaying, setReplaying] = useState(false);
  const [written, setWritten] = useState<number | null>(null);
  const ticket = useRef(0);
  const ticked = query.only?.length ?? 0;
  const counts = { count: ticked, shown: number(ticked) };
  const save = (format: ExportFormat) => {
    ticket.current = nextTicket();
    const channel = createChannel<number>(setWritten);
    void commands
      .eventExport(query, format, t('replay.saveTitle'), t('replay.saveName'), ticket.current, channel)
      .then((path) => showSavedNotice(path), showProblemNotice)
      .finally(() => setWritten(null));
  };
  if (written !== null) {
    return (
      <Button size="xs" variant="default" onClick={() => void commands.ticketStop(ticket.current)} data-testid="events-export-stop">
        {t('replay.written', { shown: number(written) })}
      </Button>
    );
  }
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} aria-hidden />} data-testid="events-along">
            {t('replay.along')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {EXPORT_FORMATS.map((format) => (
            <Menu.Item key={format} onClick={() => save(format)} data-testid={`events-export-${format}`}>
              {t(ticked > 0 ? 'replay.saveTicked' : 'replay.saveAs', { ...counts, format: format === 'json' ? 'JSON' : format })}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={() => setReplaying(true)} data-testid="events-replay">
            {ticked > 0 ? t('replay.ticked', counts) : t('replay.all')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {replaying && <ReplayDialog query={query} close={() => setReplaying(false)} />}
    </>
  );
}

const EXPORT_FORMATS: readonly ExportFormat[] = ['xlsx', 'csv', 'json'];
