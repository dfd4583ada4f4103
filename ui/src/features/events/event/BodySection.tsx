import { Button, SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useEventKinds } from '@/base/useEventKinds';
import { useFormats } from '@/base/useFormats';
import { type Row, isRow } from '@/base/values/cells';
import { CopyButton } from '@/components/controls/CopyButton';
import sectionStyles from '@/components/page/section.module.css';
import type { EventDetail } from '@/ipc/bindings';
import { EventFields } from './EventFields';
import styles from '../common/events.module.css';

/** Formats bytes as lines of offset, eight bytes and printable characters. */
export function hexDump(hex: string): string {
  const bytes = hex.match(/../gu) ?? [];
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_PER_LINE) {
    const lineBytes = bytes.slice(at, at + BYTES_PER_LINE);
    const readable = lineBytes.map((byte) => printableCharacter(Number.parseInt(byte, 16))).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${lineBytes.join(' ').padEnd(BYTES_PER_LINE * 3 - 1)}  ${readable}`);
  }
  return lines.join('\n');
}

const BYTES_PER_LINE = 8;

function printableCharacter(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCodePoint(byte) : '.';
}

/** Formats JSON over lines without parsing it, so numbers keep all their digits. */
export function formatJson(text: string): string {
  let formatted = '';
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (quoted) {
      formatted += character;
      if (character === '\\') {
        at += 1;
        formatted += text[at] ?? '';
      } else if (character === '"') quoted = false;
      continue;
    }
    if (character === '"') {
      quoted = true;
      formatted += character;
    } else if (character === '{' || character === '[') {
      const end = findEmptyEnd(text, at + 1);
      if (end === null) {
        depth += 1;
        formatted += character + indentedLineBreak(depth);
      } else {
        formatted += character + (text[end] ?? '');
        at = end;
      }
    } else if (character === '}' || character === ']') {
      depth -= 1;
      formatted += indentedLineBreak(depth) + character;
    } else if (character === ',') formatted += character + indentedLineBreak(depth);
    else if (character === ':') formatted += ': ';
    else if (character.trim() !== '') formatted += character;
  }
  return formatted;
}

/** Returns the end of an empty object or list, null if it isn't empty. */
function findEmptyEnd(text: string, from: number): number | null {
  let at = from;
  while (at < text.length && (text[at] ?? '').trim() === '') at += 1;
  return text[at] === '}' || text[at] === ']' ? at : null;
}

function indentedLineBreak(depth: number): string {
  return `\n${'  '.repeat(Math.max(0, depth))}`;
}

const BODY_FORMS = ['fields', 'json', 'raw'] as const;

/** An event's body: as fields with the contract's names, as formatted JSON, or raw. */
export function BodySection({ event }: { event: EventDetail }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [form, setForm] = useState<(typeof BODY_FORMS)[number]>('fields');
  const kind = useEventKinds().find(({ id }) => id === event.line.kind);
  const row = useMemo(() => parseRow(event.body), [event.body]);
  const visibleForm = row || form === 'raw' ? form : 'raw';
  return (
    <section>
      <div className={sectionStyles.sectionTitle}>
        <SegmentedControl
          size="xs"
          aria-label={t('inbox.form')}
          data={BODY_FORMS.map((value) => ({ value, label: t(`inbox.forms.${value}`), disabled: !row && value !== 'raw' }))}
          value={visibleForm}
          onChange={(value) => setForm(BODY_FORMS.find((one) => one === value) ?? 'fields')}
          data-testid="event-form"
        />
        <CopyButton value={event.body} label={t('inbox.copyBody')} />
      </div>
      {row && visibleForm === 'fields' && <EventFields fields={kind?.fields ?? NO_FIELDS} row={row} orders={event.orders} />}
      {visibleForm === 'json' && <BodyText text={formatJson(event.body)} />}
      {visibleForm === 'raw' && (
        <>
          <p className="muted small">{t('inbox.bytes', { count: event.bytes, shown: number(event.bytes) })}</p>
          <BodyText text={event.body} />
          {event.hex !== null && (
            <>
              <p className="muted small">{t('inbox.notText')}</p>
              <BodyText text={hexDump(event.hex)} />
            </>
          )}
        </>
      )}
    </section>
  );
}

function BodyText({ text }: { text: string }) {
  const { t } = useTranslation();
  const [isComplete, setComplete] = useState(false);
  return (
    <>
      <pre className={styles.body} tabIndex={0} data-testid="event-body">
        {isComplete ? text : text.slice(0, MAX_TEXT_LENGTH)}
      </pre>
      {!isComplete && text.length > MAX_TEXT_LENGTH && (
        <Button size="compact-xs" variant="subtle" onClick={() => setComplete(true)}>
          {t('detail.more')}
        </Button>
      )}
    </>
  );
}

const MAX_TEXT_LENGTH = 20_000;
const NO_FIELDS: never[] = [];

function parseRow(body: string): Row | null {
  try {
    const value: unknown = JSON.parse(body);
    return isRow(value as Parameters<typeof isRow>[0]) ? (value as Row) : null;
  } catch {
    return null;
  }
}
