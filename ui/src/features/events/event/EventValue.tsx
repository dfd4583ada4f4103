import { useTranslation } from 'react-i18next';

import { isCode, cellText } from '@/base/values/cells';
import { useCellWords } from '@/base/values/useCellWords';
import { Markup } from '@/components/values/Markup';
import { OrderLink } from '@/components/values/OrderLink';
import type { Field, Value as JsonValue } from '@/ipc/bindings';

type Props = { field: Field | null; value: JsonValue | undefined; orders: readonly string[] };

/** Matches date-times in fields that the contract declares as text. */
const DATE_TIME_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/u;

/** One value. Missing, null and empty values are shown differently, because they differ in meaning. */
export function EventValue({ field, value, orders }: Props) {
  const { t } = useTranslation();
  const words = useCellWords();
  if (value === undefined) return <span className="muted">{t('inbox.value.absent')}</span>;
  if (value === null) return <span className="muted">{t('inbox.value.null')}</span>;
  if (value === '') return <span className="muted">{t('inbox.value.empty')}</span>;
  if (Array.isArray(value) && value.length === 0) return <span className="muted">{t('inbox.value.none')}</span>;
  if (typeof value === 'string') {
    if (orders.includes(value)) return <OrderLink code={value} />;
    const text = DATE_TIME_PATTERN.test(value) ? words.serviceTime(value) : field ? cellText(value, field, words) : value;
    // A converted time span or date shows the original text as tooltip.
    if (text !== value) return <span title={value}>{text}</span>;
    return field && isCode(field, []) ? <span className="mono">{value}</span> : <Markup text={value} />;
  }
  if (typeof value === 'object') return <code>{JSON.stringify(value)}</code>;
  return field ? cellText(value, field, words) : String(value);
}
