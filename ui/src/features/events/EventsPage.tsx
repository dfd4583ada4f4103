import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { type EventsPlace, useNavigation } from '../../app/navigation';
import { tabs } from './tabs';

/** What the service told: the list of its events, and what is made of them, tab by tab. */
export function EventsPage({ place }: { place: EventsPlace }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const tab = tabs.find(({ id }) => id === place.tab) ?? tabs[0];
  const choice = tabs.length > 1 && (
    <SegmentedControl
      aria-label={t('inbox.tabs.name')}
      data={tabs.map(({ id }) => ({ value: id, label: t(`inbox.tabs.${id}`) }))}
      value={tab.id}
      onChange={(id) => go({ page: 'events', tab: id })}
      data-testid="events-tabs"
    />
  );
  return <tab.Content title={t('inbox.title')} actions={choice} place={place} />;
}
