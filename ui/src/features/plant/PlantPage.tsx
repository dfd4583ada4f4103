import { ActionIcon, Button, Popover, Tooltip } from '@mantine/core';
import { IconChevronDown, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState, useOperations } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { CopyButton } from '@/components/controls/CopyButton';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { EmptyState } from '@/components/page/EmptyState';
import { PageFrame } from '@/components/page/PageFrame';
import { toProblem } from '@/ipc/problem';
import { operationName, useFormats } from '@/base/useFormats';
import { type RowCount, type Overview, commands } from '@/ipc/bindings';

import { ClockStrip } from './ClockStrip';
import { PlantMenu } from './PlantMenu';
import { parseWallTime } from './common/clock';
import { usePlant } from './common/usePlant';
import { StationRows } from './floor/StationRows';
import { SidePanel } from './side/SidePanel';
import styles from './common/plant.module.css';
import floorStyles from './floor/floor.module.css';

/** Maximum age of the plant's rows before their orders count as past, in milliseconds. */
const MAX_ROW_AGE = 7 * 24 * 60 * 60 * 1000;

/** Shows the number of items of each kind. */
function Holdings({ holdings }: { holdings: RowCount[] }) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const operations = useOperations();
  // Only items with a list operation have a name in the contract.
  const label = (resource: string) =>
    resource === 'stock' ? t('plant.stock') : operationName(operations, `${resource}.list`, name);
  return (
    <dl className={styles.holdings} aria-label={t('plant.holdings')}>
      {holdings
        // The work stations are shown on the floor instead.
        .filter(({ resource }) => resource !== 'work-stations')
        .map(({ resource, rows }) => (
          <div key={resource}>
            <dt>{label(resource)}</dt>
            <dd className="number">{number(rows)}</dd>
          </div>
        ))}
    </dl>
  );
}

/** All work stations with their current and next orders, and actions. */
function Floor({ plant }: { plant: Overview }) {
  const { t } = useTranslation();
  const now = parseWallTime(plant.now) ?? 0;
  return (
    <section className={floorStyles.floor} aria-label={t('floor.title')} tabIndex={0} data-testid="plant-floor">
      <table className={floorStyles.stations} aria-label={t('floor.title')}>
        <thead>
          <tr>
            <th scope="col">{t('floor.station')}</th>
            <th scope="col">{t('floor.current')}</th>
            <th scope="col">{t('floor.next')}</th>
            <th scope="col">
              <span className="hidden">{t('floor.moves')}</span>
            </th>
          </tr>
        </thead>
        {plant.stations.map((station) => (
          <StationRows key={station.code} station={station} now={now} />
        ))}
      </table>
      {plant.stations.length === 0 && <EmptyState picture="floor" text={t('floor.empty')} />}
    </section>
  );
}

/** Shows the addresses at which other programs can use the plant. */
function Addresses() {
  const { t } = useTranslation();
  const title = useId();
  const { data } = useQuery({ queryKey: queryKeys.practicePlant, queryFn: () => commands.practicePlant(), staleTime: Infinity });
  if (!data) return null;
  return (
    <Popover position="bottom-end" width={480} trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />} data-testid="plant-addresses">
          {t('plant.addresses.open')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-labelledby={title}>
        <h2 id={title}>{t('plant.addresses.title')}</h2>
        <p className="small muted">{t('plant.addresses.what')}</p>
        <dl className={styles.addresses}>
          <AddressLine label={t('siteForm.baseUrl')} value={data.baseUrl} />
          <AddressLine label={t('siteForm.authUrl')} value={data.authUrl} />
          <AddressLine label={t('siteForm.clientId')} value={data.clientId} />
          <AddressLine label={t('siteForm.secret')} value={data.clientSecret} isSecret />
          <AddressLine label={t('plant.addresses.control')} value={data.controlUrl} />
          <AddressLine label={t('plant.addresses.key')} value={data.controlKey} isSecret />
        </dl>
      </Popover.Dropdown>
    </Popover>
  );
}

function AddressLine({ label, value, isSecret = false }: { label: string; value: string; isSecret?: boolean }) {
  const { t } = useTranslation();
  const [isVisible, setVisible] = useState(!isSecret);
  const show = isVisible ? t('plant.addresses.hide', { what: label }) : t('plant.addresses.show', { what: label });
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <code>{isVisible ? value : '••••••••••••'}</code>
        {isSecret && (
          <Tooltip label={show}>
            <ActionIcon variant="subtle" color="petrol" size="sm" aria-label={show} onClick={() => setVisible(!isVisible)}>
              {isVisible ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
        <CopyButton value={value} label={t('plant.addresses.copy', { what: label })} />
      </dd>
    </div>
  );
}

/** The practice plant: clock, floor, events, faults and requests. */
export function PlantPage() {
  const { t } = useTranslation();
  const { data: app } = useAppState();
  const { data: plant, dataUpdatedAt, error } = usePlant();
  if (app && !app.practiceReady) {
    return (
      <PageFrame title={t('plant.title')}>
        <p>{t('notice.noPractice')}</p>
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={t('plant.title')}
      subtitle={
        plant && (
          <>
            {plant.faults.length > 0 && <FaultsMark count={plant.faults.length} />}
            <OldRows plant={plant} />
          </>
        )
      }
      action={
        <>
          <Addresses />
          {plant && <PlantMenu plant={plant} />}
        </>
      }
      filter={plant && <ClockStrip plant={plant} fetchedAt={dataUpdatedAt} />}
      status={plant && <Holdings holdings={plant.holdings} />}
      isFullWidth
    >
      {plant ? (
        <div className={styles.main}>
          <Floor plant={plant} />
          <SidePanel plant={plant} />
        </div>
      ) : (
        error && (
          <div className={styles.problem}>
            <ProblemNote problem={toProblem(error)} />
          </div>
        )
      )}
    </PageFrame>
  );
}

/** Shows that the orders are in the past if the plant's rows are older than a week. */
function OldRows({ plant }: { plant: Overview }) {
  const { t } = useTranslation();
  const { date } = useFormats();
  const [now, created] = [parseWallTime(plant.now), parseWallTime(`${plant.createdOn}T00:00`)];
  if (now === null || created === null || now - created < MAX_ROW_AGE) return null;
  return <span data-testid="plant-old">{t('plant.old', { date: date(created) })}</span>;
}

function FaultsMark({ count }: { count: number }) {
  const { t } = useTranslation();
  return (
    <span className={styles.faults} data-testid="plant-faults-on">
      <span aria-hidden>▲</span> {t('plant.faultsOn', { count })}
    </span>
  );
}
