import { useTranslation } from 'react-i18next';

import { useFormats } from '../../app/useFormats';
import type { SectionProps } from './sections';
import styles from './events.module.css';

/** How it came: when, how often, with which headers. */
export function ComingSection({ event }: SectionProps) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  return (
    <section>
      <h2 className={styles.sectionTitle}>{t('inbox.headers')}</h2>
      <dl className={styles.pairs} data-testid="event-headers">
        <dt>{t('inbox.columns.received')}</dt>
        <dd>{moment(event.line.received)}</dd>
        {grouped(event.headers).map(([header, values]) => (
          <HeaderLine key={header} header={header} values={values} />
        ))}
      </dl>
    </section>
  );
}

function HeaderLine({ header, values }: { header: string; values: string[] }) {
  return (
    <>
      <dt className="mono">{header}</dt>
      <dd className="mono">{values.join('\n')}</dd>
    </>
  );
}

/** The same header may come twice. */
function grouped(headers: readonly [string, string][]): [string, string[]][] {
  const found = new Map<string, string[]>();
  for (const [header, value] of headers) found.set(header, [...(found.get(header) ?? []), value]);
  return [...found];
}
