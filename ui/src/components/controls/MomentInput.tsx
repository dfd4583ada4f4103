import { ActionIcon, TextInput } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Moment } from '@/base/values/moments';
import { DayInput } from './DayInput';
import styles from './moments.module.css';

type Props = { label: ReactNode; moment: Moment; change: (moment: Moment) => void; testId: string };

/** Input for a day with an optional time. The caller chooses the time zone. */
export function MomentInput({ label, moment, change, testId }: Props) {
  const { t } = useTranslation();
  const [timed, setTimed] = useState(false);
  return (
    <span className={styles.moment}>
      <DayInput label={label} w={146} day={moment.day} change={(day) => change({ ...moment, day })} testId={testId} />
      {moment.day !== '' && moment.time === '' && !timed && (
        <ActionIcon
          variant="subtle"
          color="petrol"
          size={36}
          onClick={() => setTimed(true)}
          aria-label={t('filters.addTime')}
          title={t('filters.addTime')}
          data-testid={`${testId}-timed`}
        >
          <IconClock size={16} aria-hidden />
        </ActionIcon>
      )}
      {moment.day !== '' && (moment.time !== '' || timed) && (
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
