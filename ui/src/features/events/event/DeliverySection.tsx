import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { EventDetail } from '@/ipc/bindings';
import styles from '../common/events.module.css';

/** How it came: whom it is believed to be from, how often it came, with which headers. */
export function DeliverySection({ event: { line, headers, copies } }: { event: EventDetail }) {
  const { t } = useTranslation();
  const { moment, timeOfDay } = useFormats();
  const when = (iso: string) => `${moment(iso)} (${timeOfDay(iso)})`;
  return (
    <section>
      <h3 className={styles.partTitle}>{t('inbox.coming')}</h3>
      <dl className={styles.pairs} data-testid="event-coming">
        <dt>{t('inbox.columns.received')}</dt>
        <dd className="number">{when(line.received)}</dd>
        <dt>{t('inbox.signature')}</dt>
        <dd data-tone={line.signed === 'valid' || line.signed === 'unchecked' ? undefined : 'bad'}>{t(`inbox.signed.${line.signed}`)}</dd>
        {copies.length > 0 && (
          <>
            <dt>{t('inbox.copies')}</dt>
            <dd className="number">{copies.map(when).join('\n')}</dd>
          </>
        )}
      </dl>
      <h3 className={styles.partTitle}>{t('inbox.headers')}</h3>
      <dl className={styles.pairs} data-testid="event-headers">
        {grouped(headers).map(([header, values]) => (
          <Fragment key={header}>
            <dt className="mono">{header}</dt>
            <dd className="mono">{values.join('\n')}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

/** The same header may come twice. */
function grouped(headers: readonly [string, string][]): [string, string[]][] {
  const found = new Map<string, string[]>();
  for (const [header, value] of headers) found.set(header, [...(found.get(header) ?? []), value]);
  return [...found];
}
