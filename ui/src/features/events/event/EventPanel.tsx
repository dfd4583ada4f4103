import { ActionIcon, Anchor, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { type ComponentType, Fragment, type KeyboardEvent, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import type { EventFilter } from '@/base/eventFilter';
import { queryKeys } from '@/base/queryKeys';
import { useEventTitle } from '@/base/useEventTitle';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { DetailPanel } from '@/components/page/DetailPanel';
import { hasOpenOverlay } from '@/components/page/pageKeys';
import { OrderLink } from '@/components/values/OrderLink';
import { commands, type EventAnswer, type EventDetail } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { ForwardSection, ReplayButton } from '@/features/forwarding';
import { useFormats } from '@/base/useFormats';
import { ruleFaultText } from '@/base/engineTexts';
import sectionStyles from '@/components/page/section.module.css';
import { AnswerMark } from '@/features/answers';

import styles from '../common/events.module.css';
import { useEventMarks } from '../common/eventMarks';
import { BodySection } from './BodySection';

/** The answer to an event, with its reasons. Hidden if no answer is stored. */
function AnswerSection({ event }: { event: EventDetail }) {
  const { t } = useTranslation();
  if (!event.answer) return null;
  return (
    <section data-testid="event-answer">
      <h2 className={sectionStyles.sectionTitle}>{t('answers.answer')}</h2>
      <p>
        <AnswerMark allowed={event.answer.allowed} by={event.answer.by} />
      </p>
      {[...new Set(event.answer.errors)].map((error) => (
        <blockquote key={error} className={styles.told}>
          {error}
        </blockquote>
      ))}
      <AnswerReasons answer={event.answer} />
    </section>
  );
}

function AnswerReasons({ answer }: { answer: EventAnswer }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <dl className={styles.pairs}>
      {answer.spoke.map((rule) => (
        <NamedValue key={rule.name} name={rule.name} value={rule.when} isMonospace />
      ))}
      {answer.failed.map((rule) => (
        <NamedValue key={`failed ${rule.name}`} name={rule.name} value={`▲ ${ruleFaultText(rule.fault)}`} />
      ))}
      <NamedValue name={t('answers.took')} value={t('answers.milliseconds', { amount: number(answer.milliseconds) })} />
      <NamedValue name={t('answers.edition')} value={answer.version === 0 ? t('answers.noRules') : number(answer.version)} />
    </dl>
  );
}

function NamedValue({ name, value, isMonospace = false }: { name: string; value: string; isMonospace?: boolean }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={isMonospace ? styles.cel : undefined}>{value}</dd>
    </>
  );
}

/** An event's delivery: time, signature check, repeated copies and headers. */
function DeliverySection({ event: { line, headers, copies } }: { event: EventDetail }) {
  const { t } = useTranslation();
  const { dateTime, timeOfDay } = useFormats();
  const preciseTime = (iso: string) => `${dateTime(iso)} (${timeOfDay(iso)})`;
  return (
    <section>
      <h3 className={styles.partTitle}>{t('inbox.coming')}</h3>
      <dl className={styles.pairs} data-testid="event-coming">
        <dt>{t('inbox.columns.received')}</dt>
        <dd className="number">{preciseTime(line.received)}</dd>
        <dt>{t('inbox.signature')}</dt>
        <dd data-tone={line.signed === 'valid' || line.signed === 'unchecked' ? undefined : 'bad'}>{t(`inbox.signed.${line.signed}`)}</dd>
        {copies.length > 0 && (
          <>
            <dt>{t('inbox.copies')}</dt>
            <dd className="number">{copies.map(preciseTime).join('\n')}</dd>
          </>
        )}
      </dl>
      <h3 className={styles.partTitle}>{t('inbox.headers')}</h3>
      <dl className={styles.pairs} data-testid="event-headers">
        {groupHeaders(headers).map(([header, values]) => (
          <Fragment key={header}>
            <dt className="mono">{header}</dt>
            <dd className="mono">{values.join('\n')}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

/** Groups the values of repeated headers. */
function groupHeaders(headers: readonly [string, string][]): [string, string[]][] {
  const found = new Map<string, string[]>();
  for (const [header, value] of headers) found.set(header, [...(found.get(header) ?? []), value]);
  return [...found];
}

type EventSummaryProps = { event: EventDetail; addFilter: (some: Partial<EventFilter>) => void };

/** An event in a few lines: time, station, employee, orders and marks. */
function EventSummary({ event: { line, orders, oddity }, addFilter }: EventSummaryProps) {
  const { t } = useTranslation();
  const { dateTime, timeOfDay } = useFormats();
  const marks = useEventMarks();
  const { station, stationName, employee, person } = line;
  const filterLink = (which: 'station' | 'employee', code: string, name: string | null) => (
    <Anchor component="button" type="button" fz="inherit" ta="left" title={t('inbox.only')} onClick={() => addFilter({ [which]: code })} data-testid={`event-${which}`}>
      {[code, name].filter(Boolean).join(' · ')}
    </Anchor>
  );
  return (
    <div className={styles.summary} data-testid="event-summary">
      <p className="number">
        <time dateTime={line.received} title={timeOfDay(line.received)}>
          {dateTime(line.received)}
        </time>
      </p>
      {(station !== null || employee !== null) && (
        <p>
          {station !== null && filterLink('station', station, stationName)}
          {station !== null && employee !== null && ' · '}
          {employee !== null && filterLink('employee', employee, person)}
        </p>
      )}
      {orders.length > 0 && (
        <p className={styles.orders}>
          {orders.slice(0, MAX_ORDERS).map((code) => (
            <OrderLink key={code} code={code} />
          ))}
          {orders.length > MAX_ORDERS && <span className="muted">+{orders.length - MAX_ORDERS}</span>}
        </p>
      )}
      <p className={styles.marks} data-testid="event-marks">
        {marks(line)
          .filter(({ id }) => id !== 'answer')
          .map(({ id, sign, word, tone }) => (
            <span key={id} data-tone={tone}>
              <span aria-hidden>{sign}</span> {word}
            </span>
          ))}
      </p>
      {oddity !== null && (
        <p className={styles.oddity} data-testid="event-oddity">
          {t('inbox.oddity')} <code>{oddity}</code>
        </p>
      )}
    </div>
  );
}

/** Maximum number of listed orders. More are among the fields. */
const MAX_ORDERS = 12;

type PanelPart = { id: string; Content: ComponentType<{ event: EventDetail }> };

/** The sections of an event's detail. A section without content renders nothing. */
const SECTIONS: readonly PanelPart[] = [
  { id: 'answer', Content: AnswerSection },
  { id: 'body', Content: BodySection },
  { id: 'forwarded', Content: ForwardSection },
  { id: 'coming', Content: DeliverySection },
];

/** The buttons above an event's detail. */
const ACTIONS: readonly PanelPart[] = [{ id: 'replay', Content: ReplayButton }];

type Props = {
  id: number;
  close: () => void;
  addFilter: (some: Partial<EventFilter>) => void;
  neighborOf: (event: number, by: 1 | -1) => number | undefined;
  open: (event: number) => void;
};

/** An event's detail. Alt with an arrow key opens the next or previous event. */
export function EventPanel({ id, close, addFilter, neighborOf, open }: Props) {
  const { t } = useTranslation();
  const title = useEventTitle();
  const container = useRef<HTMLDivElement>(null);
  const { data, error } = useQuery({
    queryKey: queryKeys.event(id),
    queryFn: () => commands.eventGet(id),
    gcTime: 0,
    retry: false,
    placeholderData: (before) => before,
  });
  const openNeighbor = (by: 1 | -1) => {
    const next = neighborOf(id, by);
    if (next !== undefined) open(next);
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !hasOpenOverlay()) {
      close();
      document.querySelector<HTMLElement>('[data-testid="grid-events"] .ag-cell')?.focus();
    }
    if (!event.altKey || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    openNeighbor(event.key === 'ArrowDown' ? 1 : -1);
  };
  return (
    <div ref={container} id="event-panel" className={styles.panel} onKeyDown={handleKeyDown} role="presentation">
      <DetailPanel title={data ? title(data.line) : t('inbox.detail')} close={close}>
        <div className={styles.tools}>
          {data && ACTIONS.map(({ id: action, Content }) => <Content key={action} event={data} />)}
          <span className={styles.turns}>
            {([-1, 1] as const).map((by) => (
              <TurnButton key={by} by={by} go={openNeighbor} />
            ))}
          </span>
        </div>
        {error && <ProblemNote problem={toProblem(error)} isSubtle />}
        {data && <EventSummary event={data} addFilter={addFilter} />}
        {data && SECTIONS.map(({ id: section, Content }) => <Content key={section} event={data} />)}
      </DetailPanel>
    </div>
  );
}

function TurnButton({ by, go }: { by: 1 | -1; go: (by: 1 | -1) => void }) {
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
