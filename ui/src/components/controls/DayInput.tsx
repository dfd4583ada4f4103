import { DateInput, type DateInputProps } from '@mantine/dates';
import 'dayjs/locale/de';
import 'dayjs/locale/es';
import 'dayjs/locale/pt';

import { usePreferences } from '@/base/preferences';
import { DAY_FORMATS, parseDay } from './days';

type Props = Pick<DateInputProps, 'label' | 'size' | 'w' | 'aria-label'> & {
  /** In ISO 8601, or empty. */
  day: string;
  change: (day: string) => void;
  testId: string;
};

/** Input for a day, written as usual in the window's language. The browser's own input follows the system's language. */
export function DayInput({ day, change, testId, ...input }: Props) {
  const { language } = usePreferences();
  return (
    <DateInput
      {...input}
      value={day === '' ? null : day}
      onChange={(next) => change(next ?? '')}
      dateParser={(text) => parseDay(text, language)}
      valueFormat={DAY_FORMATS[language]}
      locale={language}
      clearable
      autoComplete="off"
      data-testid={testId}
    />
  );
}
