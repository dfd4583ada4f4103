import { Tabs } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { Overview } from '@/ipc/bindings';
import { wall } from '../common/clock';
import { AlertsTab } from './AlertsTab';
import { EventsTab } from './EventsTab';
import { FaultsTab } from './FaultsTab';
import { RequestsTab } from './RequestsTab';
import { SuppliesTab } from './SuppliesTab';
import styles from './side.module.css';

const tabs = ['alerts', 'supplies', 'events', 'faults', 'requests'] as const;
type Tab = (typeof tabs)[number];

/** What else goes on in the plant, one subject at a time. */
export function SidePanel({ plant }: { plant: Overview }) {
  const { t } = useTranslation();
  const [tab, setTab] = useState<Tab>('alerts');
  const now = wall(plant.now) ?? 0;
  const waiting: Partial<Record<Tab, number>> = {
    alerts: plant.alerts.length,
    supplies: plant.supplies.length,
    faults: plant.faults.length,
  };
  const content: Record<Tab, ReactNode> = {
    alerts: <AlertsTab alerts={plant.alerts} stations={plant.stations} now={now} />,
    supplies: <SuppliesTab supplies={plant.supplies} />,
    events: <EventsTab deliveries={plant.deliveries} targets={plant.targets} now={now} />,
    faults: <FaultsTab faults={plant.faults} seed={plant.faultSeed ?? 1} />,
    requests: <RequestsTab requests={plant.latest} total={plant.requests ?? 0} />,
  };
  return (
    <Tabs
      component="aside"
      className={styles.side}
      value={tab}
      onChange={(chosen) => setTab(tabs.find((one) => one === chosen) ?? 'alerts')}
      aria-label={t('side.title')}
    >
      <Tabs.List className={styles.tabs} aria-label={t('side.title')}>
        {tabs.map((one) => (
          <Tabs.Tab key={one} value={one} className={styles.tab} data-testid={`plant-tab-${one}`}>
            {t(`side.${one}`)}
            <Count count={waiting[one] ?? 0} alarm={one === 'faults'} />
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((one) => (
        <Tabs.Panel key={one} value={one} className={styles.panel}>
          {content[one]}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function Count({ count, alarm }: { count: number; alarm: boolean }) {
  const { number } = useFormats();
  if (count === 0) return null;
  return (
    <span className={styles.count} data-alarm={alarm}>
      {number(count)}
    </span>
  );
}
