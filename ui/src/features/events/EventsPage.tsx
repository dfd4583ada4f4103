import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ComponentType } from 'react';

import { useSite } from '@/base/appState';
import { type EventsPlace, type EventTab, type EventTabProps, EVENT_TABS, useNavigation } from '@/base/navigation';
import { useWindowView } from '@/base/window/windowView';
import { AnswersTab } from '@/features/answers';
import { FloorTab } from '@/features/floor';

import { ListTab } from './list/ListTab';

const TAB_COMPONENTS: Record<EventTab, ComponentType<EventTabProps>> = { list: ListTab, floor: FloorTab, answers: AnswersTab };

/** The events page. The floor, and a secondary window, have no tab switch. */
export function EventsPage({ place }: { place: EventsPlace }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const site = useSite()?.site.name;
  const tab = place.tab ?? 'list';
  const Content = TAB_COMPONENTS[tab];
  const isSecondaryWindow = useWindowView() !== null;
  const isFloor = tab === 'floor';
  const choice = isSecondaryWindow || isFloor ? null : (
    <SegmentedControl
      aria-label={t('inbox.tabs.name')}
      data={EVENT_TABS.map((value) => ({ value, label: t(`inbox.tabs.${value}`) }))}
      value={tab}
      onChange={(value) => go({ page: 'events', tab: value })}
      data-testid="events-tabs"
    />
  );
  // The key resets the tab's state when another site is selected.
  const title = isFloor ? t('pages.floor') : t(isSecondaryWindow ? `inbox.tabs.${tab}` : 'inbox.title');
  return <Content key={site} title={title} actions={choice} place={place} />;
}
