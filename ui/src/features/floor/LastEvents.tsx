import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { EMPTY_FILTER, toEventQuery } from '@/base/eventFilter';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useEventTitle } from '@/base/useEventTitle';
import { useFormats } from '@/base/useFormats';
import { commands } from '@/ipc/bindings';
import styles from './floor.module.css';

const MAX_EVENTS = 10;

type Props = { station: string; site: string; newest: number };

/** A station's latest events. */
export function LastEvents({ station, site, newest }: Props) {
  const { t } = useTranslation();
  const { timeOfDay, moment } = useFormats();
  const title = useEventTitle();
  const { go } = useNavigation();
  const { data } = useQuery({
    queryKey: queryKeys.stationEvents(site, station, newest),
    queryFn: () => commands.eventList(toEventQuery({ ...EMPTY_FILTER, station }, site, null), 0, MAX_EVENTS),
    placeholderData: (before) => before,
    gcTime: 0,
  });
  return (
    <section aria-labelledby="floor-last-events" className={styles.lastEvents}>
      <h3 id="floor-last-events">{t('floorNow.lastEvents')}</h3>
      <ol data-testid="floor-last-events">
        {data?.rows.map((line) => (
          <li key={line.id}>
            <time className="number" dateTime={line.received} title={moment(line.received)}>
              {timeOfDay(line.received)}
            </time>
            <Anchor component="button" type="button" fz="inherit" onClick={() => go({ page: 'events', tab: 'list', event: line.id })}>
              {title(line)}
            </Anchor>
            <span className="mono">{line.order}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
