import { Button, Tabs } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { commands, type Overview, type SupplyView } from '@/ipc/bindings';

import { parseWallTime } from '../common/clock';
import { AlertsTab } from './AlertsTab';
import { EventsTab } from './EventsTab';
import { FaultsTab } from './FaultsTab';
import { RequestsTab } from './RequestsTab';
import styles from './side.module.css';
import { usePlantCommand } from '../common/usePlant';

/** Material that orders are waiting for, oldest first. */
function SuppliesTab({ supplies }: { supplies: SupplyView[] }) {
  const { t } = useTranslation();
  if (supplies.length === 0) return <p className={styles.empty}>{t('supplies.empty')}</p>;
  return (
    <ul className={styles.list} aria-label={t('side.supplies')} tabIndex={0}>
      {supplies.map((supply) => (
        <SupplyRow key={supply.id} supply={supply} />
      ))}
    </ul>
  );
}

function SupplyRow({ supply }: { supply: SupplyView }) {
  const { t } = useTranslation();
  const { decimal } = useFormats();
  const { run } = usePlantCommand();
  const id = supply.id ?? 0;
  const order = [supply.workOrderCode, supply.operationCode].filter(Boolean).join(' · ');
  return (
    <li className={styles.entry}>
      <div className={styles.text}>
        <p className={styles.head}>
          <code>{supply.code}</code> {supply.description}
        </p>
        <p className={styles.small}>
          <span>
            {t('supplies.for', { quantity: decimal(supply.quantity ?? 0) })} <code>{order}</code>
          </span>
        </p>
      </div>
      <div className={styles.buttons}>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => run(() => commands.plantAct({ move: 'paySupply', id }))}
          aria-label={t('supplies.payOf', { code: supply.code, order: supply.workOrderCode })}
          data-testid={`plant-pay-${id}`}
        >
          {t('supplies.pay')}
        </Button>
      </div>
    </li>
  );
}

const TABS = ['alerts', 'supplies', 'events', 'faults', 'requests'] as const;
type Tab = (typeof TABS)[number];

/** The panel next to the floor, with tabs for alerts, supplies, events, requests and faults. */
export function SidePanel({ plant }: { plant: Overview }) {
  const { t } = useTranslation();
  const [tab, setTab] = useState<Tab>('alerts');
  const now = parseWallTime(plant.now) ?? 0;
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
      onChange={(chosen) => setTab(TABS.find((one) => one === chosen) ?? 'alerts')}
      aria-label={t('side.title')}
    >
      <Tabs.List className={styles.tabs} aria-label={t('side.title')}>
        {TABS.map((one) => (
          <Tabs.Tab key={one} value={one} className={styles.tab} data-testid={`plant-tab-${one}`}>
            {t(`side.${one}`)}
            <TabCount count={waiting[one] ?? 0} alarm={one === 'faults'} />
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {TABS.map((one) => (
        <Tabs.Panel key={one} value={one} className={styles.panel}>
          {content[one]}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function TabCount({ count, alarm }: { count: number; alarm: boolean }) {
  const { number } = useFormats();
  if (count === 0) return null;
  return (
    <span className={styles.count} data-alarm={alarm}>
      {number(count)}
    </span>
  );
}
