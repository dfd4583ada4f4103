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
import { hexDump } from './hexDump';
import { formatJson } from './formatJson';
import styles from '../common/events.module.css';

const BODY_FORMS = ['fields', 'json', 'raw'] as const;

/** An event's body: as fields with the contract's names, as formatted JSON, or raw. */
export function BodySection({ event }: { event: EventDetail }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [form, setForm] = useState<(typeof BODY_FORMS)[number]>('fields');
  const kind = useEventKinds().find(({ id }) => id === event.line.kind);
  const row = useMemo(() => parsed(event.body), [event.body]);
  const shown = row || form === 'raw' ? form : 'raw';
  return (
    <section>
      <div className={sectionStyles.sectionTitle}>
        <SegmentedControl
          size="xs"
          aria-label={t('inbox.form')}
          data={BODY_FORMS.map((value) => ({ value, label: t(`inbox.forms.${value}`), disabled: !row && value !== 'raw' }))}
          value={shown}
          onChange={(value) => setForm(BODY_FORMS.find((one) => one === value) ?? 'fields')}
          data-testid="event-form"
        />
        <CopyButton value={event.body} label={t('inbox.copyBody')} />
      </div>
      {row && shown === 'fields' && <EventFields fields={kind?.fields ?? NO_FIELDS} row={row} orders={event.orders} />}
      {shown === 'json' && <Text text={formatJson(event.body)} />}
      {shown === 'raw' && (
        <>
          <p className="muted small">{t('inbox.bytes', { count: event.bytes, shown: number(event.bytes) })}</p>
          <Text text={event.body} />
          {event.hex !== null && (
            <>
              <p className="muted small">{t('inbox.notText')}</p>
              <Text text={hexDump(event.hex)} />
            </>
          )}
        </>
      )}
    </section>
  );
}

function Text({ text }: { text: string }) {
  const { t } = useTranslation();
  const [whole, setWhole] = useState(false);
  return (
    <>
      <pre className={styles.body} tabIndex={0} data-testid="event-body">
        {whole ? text : text.slice(0, MAX_TEXT_LENGTH)}
      </pre>
      {!whole && text.length > MAX_TEXT_LENGTH && (
        <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)}>
          {t('detail.more')}
        </Button>
      )}
    </>
  );
}

const MAX_TEXT_LENGTH = 20_000;
const NO_FIELDS: never[] = [];

function parsed(body: string): Row | null {
  try {
    const value: unknown = JSON.parse(body);
    return isRow(value as Parameters<typeof isRow>[0]) ? (value as Row) : null;
  } catch {
    return null;
  }
}
