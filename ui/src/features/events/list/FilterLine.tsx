import { Button, MultiSelect, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { IconClock, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { type EventFilter, isEmptyFilter } from '@/base/eventFilter';
import { useEventKinds } from '@/base/useEventKinds';
import { useFormats } from '@/base/useFormats';
import { formatLocalDateTime } from '@/base/values/localDateTime';
import { LocalDateTimeInput } from '@/components/controls/LocalDateTimeInput';
import type { EventState } from '@/ipc/bindings';
import { QUICK_SPANS, type DateTimeRange, toBounds, isReversed, quickBounds, toRange } from './timeSpan';
import styles from '../common/events.module.css';
import momentStyles from '@/components/controls/moments.module.css';

type TimeFilterProps = { filter: Pick<EventFilter, 'since' | 'until'>; change: (some: Partial<EventFilter>) => void };

/** Filters by time: a quick range, or from and to. */
function TimeFilter({ filter: { since, until }, change }: TimeFilterProps) {
  const { t } = useTranslation();
  const { serviceTime } = useFormats();
  const spanText = () => {
    const { from, to } = toRange({ since, until });
    const [first, last] = [serviceTime(formatLocalDateTime(from)), serviceTime(formatLocalDateTime(to))];
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

function TimeForm({ since, until, change }: TimeFilterProps['filter'] & Pick<TimeFilterProps, 'change'>) {
  const { t } = useTranslation();
  const [span, setSpan] = useState(() => toRange({ since, until }));
  const changeSpan = (next: DateTimeRange) => {
    setSpan(next);
    const bounds = toBounds(next);
    if (!isReversed(bounds)) change(bounds);
  };
  return (
    <div className={styles.times}>
      <fieldset className={momentStyles.spans} aria-label={t('filters.spans')}>
        {QUICK_SPANS.map((name) => (
          <UnstyledButton key={name} className={momentStyles.span} onClick={() => changeSpan(toRange(quickBounds(name, new Date())))} data-testid={`events-when-${name}`}>
            {t(`inbox.filter.quick.${name}`)}
          </UnstyledButton>
        ))}
        <UnstyledButton className={momentStyles.span} onClick={() => changeSpan(toRange({ since: null, until: null }))} data-testid="events-when-any">
          {t('inbox.filter.anyTime')}
        </UnstyledButton>
      </fieldset>
      <LocalDateTimeInput label={t('inbox.filter.from')} value={span.from} change={(from) => changeSpan({ ...span, from })} testId="events-from" />
      <LocalDateTimeInput label={t('inbox.filter.to')} value={span.to} change={(to) => changeSpan({ ...span, to })} testId="events-to" />
      {isReversed(toBounds(span)) && (
        <p className={momentStyles.wrong} role="alert">
          {t('filters.reversed')}
        </p>
      )}
    </div>
  );
}

type Props = { filter: EventFilter; change: (some: Partial<EventFilter>) => void; clear: () => void };

const EVENT_STATES: readonly EventState[] = ['sound', 'odd', 'unknown', 'malformed'];

/** Filters the event list by time, kind, state, order, station, employee and text. */
export function FilterLine({ filter, change, clear }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const kinds = useEventKinds();
  const field = (which: 'order' | 'station' | 'employee') => (
    <TextInput
      size="xs"
      className={styles.one}
      aria-label={t(`inbox.filter.${which}`)}
      placeholder={t(`inbox.filter.${which}`)}
      value={filter[which] ?? ''}
      onChange={(event) => change({ [which]: event.currentTarget.value || null })}
      data-testid={`events-${which}`}
    />
  );
  return (
    <div className={styles.filters} role="search">
      <TextInput
        className={styles.find}
        size="xs"
        aria-label={t('inbox.filter.text')}
        placeholder={t('inbox.filter.text')}
        leftSection={<IconSearch size={14} aria-hidden />}
        value={filter.text ?? ''}
        onChange={(event) => change({ text: event.currentTarget.value || null })}
        data-testid="events-find"
      />
      <MultiSelect
        className={styles.several}
        size="xs"
        aria-label={t('inbox.filter.kinds')}
        placeholder={filter.kinds.length === 0 ? t('inbox.filter.kinds') : ''}
        data={kinds.map((kind) => ({ value: String(kind.id), label: name(kind) }))}
        value={filter.kinds.map(String)}
        onChange={(chosen) => change({ kinds: chosen.map(Number) })}
        maxDropdownHeight={420}
        clearable
        data-testid="events-kinds"
      />
      {field('order')}
      {field('station')}
      {field('employee')}
      <MultiSelect
        className={styles.several}
        size="xs"
        aria-label={t('inbox.filter.states')}
        placeholder={filter.states.length === 0 ? t('inbox.filter.states') : ''}
        data={EVENT_STATES.map((state) => ({ value: state, label: t(`inbox.states.${state}`) }))}
        value={filter.states}
        onChange={(chosen) => change({ states: EVENT_STATES.filter((state) => chosen.includes(state)) })}
        clearable
        data-testid="events-states"
      />
      <TimeFilter filter={filter} change={change} />
      {!isEmptyFilter(filter) && (
        <Button size="xs" variant="subtle" onClick={clear} data-testid="events-clear">
          {t('inbox.filter.clear')}
        </Button>
      )}
    </div>
  );
}
