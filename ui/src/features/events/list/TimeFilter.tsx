import { Button, Popover, UnstyledButton } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { EventFilter } from '@/base/eventFilter';
import { useFormats } from '@/base/useFormats';
import { formatMoment } from '@/base/values/moments';
import { MomentInput } from '@/components/controls/MomentInput';
import momentStyles from '@/components/controls/moments.module.css';
import { type TimeSpan, boundsOf, isReversed, QUICK_SPANS, quickBounds, spanOf } from './timeSpan';
import styles from '../common/events.module.css';

type Props = { filter: Pick<EventFilter, 'since' | 'until'>; change: (some: Partial<EventFilter>) => void };

/** Filters by time: a quick range, or from and to. */
export function TimeFilter({ filter: { since, until }, change }: Props) {
  const { t } = useTranslation();
  const { serviceTime } = useFormats();
  const spanText = () => {
    const { from, to } = spanOf({ since, until });
    const [first, last] = [serviceTime(formatMoment(from)), serviceTime(formatMoment(to))];
    if (first && last) return first === last ? first : `${first} – ${last}`;
    if (first) return t('inbox.filter.since', { moment: first });
    return last ? t('inbox.filter.until', { moment: last }) : t('inbox.filter.anyTime');
  };
  return (
    <Popover position="bottom-start" width={440} trapFocus shadow="md">
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          fw="normal"
          leftSection={<IconClock size={14} aria-hidden />}
          aria-label={t('inbox.filter.when', { said: spanText() })}
          data-testid="events-when"
        >
          {spanText()}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('inbox.filter.times')}>
        <TimeForm since={since} until={until} change={change} />
      </Popover.Dropdown>
    </Popover>
  );
}

function TimeForm({ since, until, change }: Props['filter'] & Pick<Props, 'change'>) {
  const { t } = useTranslation();
  const [span, setSpan] = useState(() => spanOf({ since, until }));
  const put = (next: TimeSpan) => {
    setSpan(next);
    const bounds = boundsOf(next);
    if (!isReversed(bounds)) change(bounds);
  };
  return (
    <div className={styles.times}>
      <fieldset className={momentStyles.spans} aria-label={t('filters.spans')}>
        {QUICK_SPANS.map((name) => (
          <UnstyledButton key={name} className={momentStyles.span} onClick={() => put(spanOf(quickBounds(name, new Date())))} data-testid={`events-when-${name}`}>
            {t(`inbox.filter.quick.${name}`)}
          </UnstyledButton>
        ))}
        <UnstyledButton className={momentStyles.span} onClick={() => put(spanOf({ since: null, until: null }))} data-testid="events-when-any">
          {t('inbox.filter.anyTime')}
        </UnstyledButton>
      </fieldset>
      <MomentInput label={t('inbox.filter.from')} moment={span.from} change={(from) => put({ ...span, from })} testId="events-from" />
      <MomentInput label={t('inbox.filter.to')} moment={span.to} change={(to) => put({ ...span, to })} testId="events-to" />
      {isReversed(boundsOf(span)) && (
        <p className={momentStyles.wrong} role="alert">
          {t('filters.reversed')}
        </p>
      )}
    </div>
  );
}
