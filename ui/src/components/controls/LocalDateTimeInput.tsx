import { ActionIcon, TextInput } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { LocalDateTime } from '@/base/values/localDateTime';
import { DayInput } from './DayInput';
import styles from './moments.module.css';

type Props = { label: ReactNode; value: LocalDateTime; change: (moment: LocalDateTime) => void; testId: string };

/** Input for a day with an optional time. The caller chooses the time zone. */
export function LocalDateTimeInput({ label, value, change, testId }: Props) {
  const { t } = useTranslation();
  const [hasTime, setHasTime] = useState(false);
  return (
    <span className={styles.moment}>
      <DayInput label={label} w={146} day={value.day} change={(day) => change({ ...value, day })} testId={testId} />
      {value.day !== '' && value.time === '' && !hasTime && (
        <ActionIcon
          variant="subtle"
          color="petrol"
          size={36}
          onClick={() => setHasTime(true)}
          aria-label={t('filters.addTime')}
          title={t('filters.addTime')}
          data-testid={`${testId}-timed`}
        >
          <IconClock size={16} aria-hidden />
        </ActionIcon>
      )}
      {value.day !== '' && (value.time !== '' || hasTime) && (
        <TextInput
          type="time"
          w={96}
          aria-label={t('filters.time')}
          value={value.time}
          onChange={(event) => change({ ...value, time: event.currentTarget.value })}
          data-testid={`${testId}-time`}
        />
      )}
    </span>
  );
}
