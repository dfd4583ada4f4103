import { SegmentedControl } from '@mantine/core';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { type IntegrationTab, type IntegrationsPlace, type TabProps, INTEGRATION_TABS, useNavigation } from '@/base/navigation';
import { ForwardTab } from '@/features/forwarding';
import { GraphqlPage } from '@/features/graphql';

const TAB_COMPONENTS: Record<IntegrationTab, ComponentType<TabProps>> = { forward: ForwardTab, graphql: GraphqlPage };

/** Connects other programs: event forwarding and GraphQL queries. */
export function IntegrationsPage({ place }: { place: IntegrationsPlace }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const site = useSite()?.site.name;
  const tab = place.tab ?? 'forward';
  const Content = TAB_COMPONENTS[tab];
  const choice = (
    <SegmentedControl
      aria-label={t('integrations.tabs.name')}
      data={INTEGRATION_TABS.map((value) => ({ value, label: t(`integrations.tabs.${value}`) }))}
      value={tab}
      onChange={(value) => go({ page: 'integrations', tab: value })}
      data-testid="integration-tabs"
    />
  );
  return <Content key={site} title={t('integrations.title')} actions={choice} />;
}
