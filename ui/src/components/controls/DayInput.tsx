import { DateInput, type DateInputProps } from '@mantine/dates';
import 'dayjs/locale/de';
import 'dayjs/locale/es';
import 'dayjs/locale/pt';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '@/base/preferences';
import { DAY_EXAMPLES, DAY_FORMATS, parseDay } from './days';

const NO_DAYS: DateInputProps['weekendDays'] = [];

type Props = Pick<DateInputProps, 'label' | 'size' | 'w' | 'aria-label'> & {
  /** In ISO 8601, or empty. */
  day: string;
  change: (day: string) => void;
  testId: string;
};

/** Input for a day in the format of the window's language. The browser's own input would use the system's language. */
export function DayInput({ day, change, testId, ...input }: Props) {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const [isInvalid, setInvalid] = useState(false);
  return (
    <DateInput
      {...input}
      value={day === '' ? null : day}
      onChange={(next) => {
        setInvalid(false);
        change(next ?? '');
      }}
      onBlur={(event) => setInvalid(event.currentTarget.value.trim() !== '' && parseDay(event.currentTarget.value, language) === null)}
      // A text that is no day stays, with the reason, instead of becoming the former day.
      fixOnBlur={false}
      error={isInvalid && t('day.invalid', { example: DAY_EXAMPLES[language] })}
      dateParser={(text) => parseDay(text, language)}
      valueFormat={DAY_FORMATS[language]}
      locale={language}
      ariaLabels={{
        monthLevelControl: t('day.chooseMonth'),
        yearLevelControl: t('day.chooseYear'),
        previousMonth: t('day.previousMonth'),
        nextMonth: t('day.nextMonth'),
        previousYear: t('day.previousYear'),
        nextYear: t('day.nextYear'),
        previousDecade: t('day.previousDecade'),
        nextDecade: t('day.nextDecade'),
      }}
      // Red weekends look like errors, and gray days of other months can't be read.
      weekendDays={NO_DAYS}
      hideOutsideDates
      clearable
      clearButtonProps={{ 'aria-label': t('day.clear') }}
      autoComplete="off"
      data-testid={testId}
    />
  );
}
