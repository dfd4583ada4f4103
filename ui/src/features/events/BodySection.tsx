import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { CopyButton } from '../../components/CopyButton';
import type { SectionProps } from './sections';
import styles from './events.module.css';

/** What came, byte for byte, laid out where it is JSON. */
export function BodySection({ event }: SectionProps) {
  const { t } = useTranslation();
  const text = useMemo(() => pretty(event.body), [event.body]);
  return (
    <section>
      <h2 className={styles.sectionTitle}>
        {t('inbox.body')} <CopyButton value={event.body} label={t('inbox.copyBody')} />
      </h2>
      <pre className={styles.body} tabIndex={0} data-testid="event-body">
        {text}
      </pre>
    </section>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
