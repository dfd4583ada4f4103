import { Button, MultiSelect, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { type EventFilter, isEmptyFilter } from '@/base/eventFilter';
import { useEventKinds } from '@/base/useEventKinds';
import { useFormats } from '@/base/useFormats';
import type { EventState } from '@/ipc/bindings';
import { TimeFilter } from './TimeFilter';
import styles from '../common/events.module.css';

type Props = { filter: EventFilter; change: (some: Partial<EventFilter>) => void; clear: () => void };

const states: readonly EventState[] = ['sound', 'odd', 'unknown', 'malformed'];

/** The filters of the event list. */
export function FilterLine({ filter: wanted, change, clear }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const kinds = useEventKinds();
  const field = (which: 'order' | 'station' | 'employee') => (
    <TextInput
      size="xs"
      className={styles.one}
      aria-label={t(`inbox.filter.${which}`)}
      placeholder={t(`inbox.filter.${which}`)}
      value={wanted[which] ?? ''}
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
        value={wanted.text ?? ''}
        onChange={(event) => change({ text: event.currentTarget.value || null })}
        data-testid="events-find"
      />
      <MultiSelect
        className={styles.several}
        size="xs"
        aria-label={t('inbox.filter.kinds')}
        placeholder={wanted.kinds.length === 0 ? t('inbox.filter.kinds') : ''}
        data={kinds.map((kind) => ({ value: String(kind.id), label: name(kind) }))}
        value={wanted.kinds.map(String)}
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
        placeholder={wanted.states.length === 0 ? t('inbox.filter.states') : ''}
        data={states.map((state) => ({ value: state, label: t(`inbox.states.${state}`) }))}
        value={wanted.states}
        onChange={(chosen) => change({ states: states.filter((state) => chosen.includes(state)) })}
        clearable
        data-testid="events-states"
      />
      <TimeFilter filter={wanted} change={change} />
      {!isEmptyFilter(wanted) && (
        <Button size="xs" variant="subtle" onClick={clear} data-testid="events-clear">
          {t('inbox.filter.clear')}
        </Button>
      )}
    </div>
  );
}
