import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Moment } from './filters';
import styles from './filters.module.css';

type Props = { label: ReactNode; moment: Moment; change: (moment: Moment) => void; testId: string };

/** A day, and a time of it where the day isn't meant as a whole; both at the site. */
export function MomentInput({ label, moment, change, testId }: Props) {
  const { t } = useTranslation();
  return (
    <span className={styles.moment}>
      <TextInput
        label={label}
        type="date"
        w={146}
        value={moment.day}
        onChange={(event) => change({ ...moment, day: event.currentTarget.value })}
        data-testid={testId}
      />
      {moment.day !== '' && (
        <TextInput
          type="time"
          w={96}
          aria-label={t('filters.time')}
          value={moment.time}
          onChange={(event) => change({ ...moment, time: event.currentTarget.value })}
          data-testid={`${testId}-time`}
        />
      )}
    </span>
  );
}
