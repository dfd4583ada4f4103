import { useTranslation } from 'react-i18next';

import { usePreferences } from '@/base/preferences';
import { secondsSince, siteTime } from '@/base/siteTime';
import { useFormats } from '@/base/useFormats';

type Props = { at: string; now: number; zone: string };

/** An elapsed duration, with its start in the site's time zone as tooltip. */
export function ElapsedTime({ at, now, zone }: Props) {
  const { t } = useTranslation();
  const durationText = useDurationText();
  const { language } = usePreferences();
  return (
    <time className="number" dateTime={at} title={t('floorNow.sinceAt', { time: siteTime(at, zone, language, now), zone })}>
      {durationText(secondsSince(at, now))}
    </time>
  );
}

const DAY_SECONDS = 24 * 3600;

/** Returns a formatter that omits small units: `3 days`, `1 h 05 min`, `12 min`, `40 s`. */
export function useDurationText(): (seconds: number) => string {
  const { t } = useTranslation();
  const { duration, number } = useFormats();
  return (seconds) => {
    if (seconds >= 2 * DAY_SECONDS) return t('duration.days', { count: Math.floor(seconds / DAY_SECONDS) });
    return seconds >= 60 && seconds < 3600 ? t('floorNow.minutes', { min: number(Math.floor(seconds / 60)) }) : duration(seconds);
  };
}
