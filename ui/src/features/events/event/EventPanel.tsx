import { ActionIcon, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { type KeyboardEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import type { EventFilter } from '@/base/eventFilter';
import { queryKeys } from '@/base/queryKeys';
import { useEventTitle } from '@/base/useEventTitle';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { DetailPanel } from '@/components/page/DetailPanel';
import { isCovered } from '@/components/page/pageKeys';
import { commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { EventSummary } from './EventSummary';
import { actions, sections } from './sections';
import styles from '../common/events.module.css';

type Props = {
  id: number;
  close: () => void;
  narrow: (some: Partial<EventFilter>) => void;
  turn: (event: number, by: 1 | -1) => number | undefined;
  open: (event: number) => void;
};

/** One event, section by section; Alt and the arrows lead to its neighbours. */
export function EventPanel({ id, close, narrow, turn, open }: Props) {
  const { t } = useTranslation();
  const title = useEventTitle();
  const place = useRef<HTMLDivElement>(null);
  const { data, error } = useQuery({
    queryKey: queryKeys.event(id),
    queryFn: () => commands.eventGet(id),
    gcTime: 0,
    retry: false,
    placeholderData: (before) => before,
  });
  const go = (by: 1 | -1) => {
    const next = turn(id, by);
    if (next !== undefined) open(next);
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !isCovered()) {
      close();
      document.querySelector<HTMLElement>('[data-testid="grid-events"] .ag-cell')?.focus();
    }
    if (!event.altKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    go(event.key === 'ArrowDown' ? 1 : -1);
  };
  return (
    <div ref={place} id="event-panel" className={styles.panel} onKeyDown={pressed} role="presentation">
      <DetailPanel title={data ? title(data.line) : t('inbox.detail')} close={close}>
        <div className={styles.tools}>
          {data && actions.map(({ id: action, Content }) => <Content key={action} event={data} />)}
          <span className={styles.turns}>
            {([-1, 1] as const).map((by) => (
              <Turn key={by} by={by} go={go} />
            ))}
          </span>
        </div>
        {error && <ProblemNote problem={toProblem(error)} quiet />}
        {data && <EventSummary event={data} narrow={narrow} />}
        {data && sections.map(({ id: section, Content }) => <Content key={section} event={data} />)}
      </DetailPanel>
    </div>
  );
}

function Turn({ by, go }: { by: 1 | -1; go: (by: 1 | -1) => void }) {
  const { t } = useTranslation();
  const label = by === 1 ? t('inbox.next') : t('inbox.previous');
  const Icon = by === 1 ? IconChevronDown : IconChevronUp;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size="sm"
        aria-label={label}
        aria-keyshortcuts={by === 1 ? 'Alt+ArrowDown' : 'Alt+ArrowUp'}
        onClick={() => go(by)}
        data-testid={by === 1 ? 'event-next' : 'event-previous'}
      >
        <Icon size={14} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
