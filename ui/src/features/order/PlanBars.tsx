import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { Row } from '@/base/values/cells';
import styles from './order.module.css';

/** The names of the fields with the begin and the end. */
type SpanFields = { begin: string; end: string };

type Props = {
  rows: readonly Row[];
  /** Returns a row's label. */
  label: (row: Row) => string;
  planned: SpanFields;
  actual: SpanFields | null;
  status: string | null;
  /** The site's local time. Bars of running operations end there. */
  now: string;
};

type Span = { from: number; to: number; text: string; open: boolean };

/** Planned and actual bars on a common time scale, with a line per operation. The times are also shown as text. */
export function PlanBars({ rows, label, planned, actual, status, now }: Props) {
  const { t } = useTranslation();
  const { serviceTime } = useFormats();
  /** Returns a span of time. Without an end, it lasts until `until`. */
  const spanOf = (row: Row, ends: SpanFields, until: string | null): Span | null => {
    const [begin, end] = [row[ends.begin], row[ends.end]];
    if (typeof begin !== 'string' || begin === '') return null;
    const open = typeof end !== 'string' || end === '';
    const last = until === null ? '…' : t('picture.line.now');
    const text = `${serviceTime(begin)} – ${open ? last : serviceTime(end)}`;
    return { from: parseWallTime(begin), to: open ? Math.max(parseWallTime(begin), parseWallTime(until ?? begin)) : parseWallTime(end), text, open };
  };
  const lines = rows.map((row) => ({ row, planned: spanOf(row, planned, null), real: actual ? spanOf(row, actual, now) : null }));
  const spans = lines.flatMap((line) => [line.planned, line.real]).filter((one) => one !== null);
  if (spans.length === 0) return null;
  const first = Math.min(...spans.map((one) => one.from));
  const last = Math.max(...spans.map((one) => one.to), first + 1);
  const positionOf = (one: Span) => ({
    left: `${(100 * (one.from - first)) / (last - first)}%`,
    width: `${Math.max((100 * (one.to - one.from)) / (last - first), 0.5)}%`,
  });
  return (
    <section aria-labelledby="order-plan" className={styles.section} data-testid="order-plan">
      <header className={styles.head}>
        <h2 id="order-plan">{t('order.plan')}</h2>
        <span className={styles.legend}>
          <i className={styles.planned} aria-hidden /> {t('order.planned')} <i className={styles.real} aria-hidden /> {t('order.real')}
        </span>
      </header>
      <ul className={styles.bars}>
        {lines.map((line) => (
          <li key={label(line.row)}>
            <span className="mono">{label(line.row)}</span>
            <div className={styles.scale} aria-hidden>
              {line.planned && <i className={styles.planned} style={positionOf(line.planned)} />}
              {line.real && <i className={styles.real} data-open={line.real.open} style={positionOf(line.real)} />}
            </div>
            <span className={styles.times}>
              {line.planned && (
                <span>
                  <span className="muted">{t('order.planned')}</span> <span className="number">{line.planned.text}</span>
                </span>
              )}
              {line.real && (
                <span>
                  <span className="muted">{t('order.real')}</span> <span className="number">{line.real.text}</span>
                </span>
              )}
              {status && typeof line.row[status] === 'string' && <span>{line.row[status]}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Converts wall time as if it were UTC. Text with an offset is converted exactly. */
function parseWallTime(text: string): number {
  const wall = /(Z|[+-]\d{2}:?\d{2})$/u.test(text) ? text : `${text.replace(' ', 'T')}Z`;
  const moment = Date.parse(wall.replace(/(\.\d{3})\d+/u, '$1'));
  return Number.isNaN(moment) ? 0 : moment;
}
