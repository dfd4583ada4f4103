import { Button } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { FeedState } from './eventFeed';

type Props = { state: FeedState; ticked: number; untick: () => void; follow: () => void };

/** Counts the matching, ticked and new events. */
export function ListStatus({ state: { total, exact, fresh, unread }, ticked, untick, follow }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <>
      {total !== null && (
        <span className="number" data-testid="events-count">
          {total === 0 ? t('inbox.nothingFits') : t(exact ? 'inbox.count' : 'inbox.countMore', { count: total, shown: number(total) })}
        </span>
      )}
      {ticked > 0 && (
        <>
          <span className="number" data-testid="events-ticked">
            {t('inbox.ticked', { count: ticked, shown: number(ticked) })}
          </span>
          <Button size="compact-xs" variant="subtle" color="petrol" onClick={untick} data-testid="events-untick">
            {t('inbox.untick')}
          </Button>
        </>
      )}
      {unread > 0 && <span className="muted number">{t('inbox.unread', { count: unread, shown: number(unread) })}</span>}
      <span aria-live="polite">
        {fresh !== 0 && (
          <Button size="compact-xs" leftSection={<IconArrowUp size={12} aria-hidden />} onClick={follow} data-testid="events-fresh">
            {fresh === null ? t('inbox.freshSome') : t('inbox.fresh', { count: fresh, shown: number(fresh) })}
          </Button>
        )}
      </span>
    </>
  );
}
