import { useTranslation } from 'react-i18next';
import { ActionIcon, Button, Group, Menu, NumberInput, Popover, Tooltip } from '@mantine/core';
import { IconCircle, IconCircleCheck, IconDots, IconPlayerPauseFilled, IconPlayerPlayFilled, IconPoint } from '@tabler/icons-react';
import { type ComponentType, type SyntheticEvent, useState } from 'react';

import { useFormats } from '@/base/useFormats';
import { StatusPill, type Tone } from '@/components/marks/StatusPill';
import { type OrderView, type StationView, commands } from '@/ipc/bindings';

import { AlertForm } from '../common/AlertForm';
import { formatPlanned } from '../common/clock';
import plantStyles from '../common/plant.module.css';
import styles from './floor.module.css';
import { usePlantCommand } from '../common/usePlant';
import { type OrderMove, type OrderStatus, furtherMoves, mainMove, orderName, orderStatus, orderProgress } from './moves';

const STATUS_ICONS: Record<OrderStatus, ComponentType<{ size: number; 'aria-hidden': boolean }>> = {
  running: IconPlayerPlayFilled,
  paused: IconPlayerPauseFilled,
  planned: IconCircle,
  ended: IconCircleCheck,
  other: IconPoint,
};

const STATUS_TONES: Record<OrderStatus, Tone> = { planned: 'quiet', running: 'good', paused: 'warning', ended: 'quiet', other: 'quiet' };

/** An order at a station: state, product and progress. */
function OrderLine({ order }: { order: OrderView }) {
  const { t } = useTranslation();
  const { decimal } = useFormats();
  const now = orderStatus(order);
  const Icon = STATUS_ICONS[now];
  const good = decimal(order.producedGoodQuantity ?? 0);
  const requested = decimal(order.requestedQuantity ?? 0);
  const bad = order.producedBadQuantity ?? 0;
  return (
    <>
      <span className={styles.order}>
        <span className={styles.standing}>
          <StatusPill tone={STATUS_TONES[now]} sign={<Icon size={12} aria-hidden />}>
            {now === 'other' ? order.statusDescription : t(`floor.standings.${now}`)}
          </StatusPill>
        </span>
        <Tooltip label={t('floor.operation', { operation: order.operationCode, material: order.materialCode })}>
          <code className={styles.code}>
            {order.code}
            {order.operationCode && <span className="muted"> · {order.operationCode}</span>}
          </code>
        </Tooltip>
        <code className={styles.material}>{order.materialCode}</code>
      </span>
      <span className={styles.done}>
        <span className={styles.track} aria-hidden>
          <span className={styles.fill} data-standing={now} style={{ width: `${orderProgress(order) * 100}%` }} />
        </span>
        <span className="number">{t('floor.made', { good, requested })}</span>
        {bad > 0 && <span className={styles.bad}>{t('floor.bad', { bad: decimal(bad) })}</span>}
      </span>
    </>
  );
}

type QuantityFormProps = { order: OrderView; close: () => void };

/** Adds good and bad quantities to an order's output. */
function QuantityForm({ order, close }: QuantityFormProps) {
  const { t } = useTranslation();
  const [good, setGood] = useState<number | string>('');
  const [bad, setBad] = useState<number | string>('');
  const { run, busy } = usePlantCommand();
  const hasQuantity = Number(good) > 0 || Number(bad) > 0;
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const trackMove = { move: 'track', order: orderName(order), good: Number(good), bad: Number(bad) } as const;
    if (hasQuantity) run(() => commands.plantAct(trackMove), close);
  };
  return (
    <form onSubmit={submit} className={plantStyles.form}>
      <h2>{t('floor.record', { order: order.code })}</h2>
      <Group grow>
        <NumberInput
          label={t('floor.good')}
          value={good}
          onChange={setGood}
          min={0}
          hideControls
          data-autofocus
          data-testid="plant-good"
        />
        <NumberInput label={t('floor.scrap')} value={bad} onChange={setBad} min={0} hideControls data-testid="plant-bad" />
      </Group>
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" type="submit" disabled={!hasQuantity || busy} data-testid="plant-track">
          {t('floor.recordYes')}
        </Button>
      </Group>
    </form>
  );
}

type OrderActionsProps = { station: StationView; order: OrderView | null; id: string };
type MoveDialog = { what: 'quantity'; order: OrderView } | { what: 'alert' };

/** Actions for an order or an idle station. The likely action is a button, and the others are in a menu. */
function OrderActions({ station, order, id }: OrderActionsProps) {
  const { t } = useTranslation();
  const { run } = usePlantCommand();
  const [dialog, setDialog] = useState<MoveDialog | null>(null);
  const subject = order ?? station.next[0];
  const main = subject && mainMove(subject);
  const move = (kind: OrderMove, of: OrderView) => run(() => commands.plantAct(moveRequest(kind, of)));
  const close = () => setDialog(null);
  return (
    <Popover
      opened={dialog !== null}
      onDismiss={close}
      position="bottom-end"
      width={280}
      trapFocus
      returnFocus
      withRoles={false}
      shadow="md"
    >
      <Popover.Target>
        <span className={styles.buttons}>
          {subject && main && (
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => move(main, subject)}
              aria-label={t('floor.moveOf', { move: t(`floor.moveNames.${main}`), order: subject.code })}
              data-testid={`plant-${main}-${id}`}
            >
              {t(`floor.moveNames.${main}`)}
            </Button>
          )}
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon
                variant="subtle"
                color="petrol"
                size={26}
                aria-label={t('floor.more', { station: station.description })}
                data-testid={`plant-more-${id}`}
              >
                <IconDots size={16} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {order && (
                <Menu.Item onClick={() => setDialog({ what: 'quantity', order })} data-testid={`plant-track-${id}`}>
                  {t('floor.record', { order: order.code })}
                </Menu.Item>
              )}
              {order &&
                furtherMoves(order).map((kind) => (
                  <Menu.Item key={kind} onClick={() => move(kind, order)} data-testid={`plant-${kind}-${id}`}>
                    {t('floor.moveOf', { move: t(`floor.moveNames.${kind}`), order: order.code })}
                  </Menu.Item>
                ))}
              {!order &&
                station.next.map((next) => (
                  <Menu.Item key={`${next.code}·${next.operationCode}`} onClick={() => move('begin', next)}>
                    {t('floor.moveOf', { move: t('floor.moveNames.begin'), order: next.code })}
                  </Menu.Item>
                ))}
              {(order ?? station.next[0]) && <Menu.Divider />}
              <Menu.Item onClick={() => setDialog({ what: 'alert' })} data-testid={`plant-alert-${id}`}>
                {t('alerts.raiseAt', { station: station.description })}
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </span>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label={t('floor.more', { station: station.description })}>
        {dialog?.what === 'quantity' && <QuantityForm order={dialog.order} close={close} />}
        {dialog?.what === 'alert' && <AlertForm stations={[station]} close={close} />}
      </Popover.Dropdown>
    </Popover>
  );
}

function moveRequest(kind: OrderMove, of: OrderView) {
  const order = orderName(of);
  return kind === 'pause' ? { move: kind, order, reason: null } : { move: kind, order };
}

type Props = { station: StationView; now: number };

/** A work station with a row per order, or an empty row. */
export function StationRows({ station, now }: Props) {
  const { t } = useTranslation();
  const { current, next } = station;
  // The row stays when its order ends, so that the focus stays on the button.
  const lines: (OrderView | null)[] = current.length > 0 ? current : [null];
  return (
    <tbody data-testid={`plant-station-${station.code}`} data-orders={current.length}>
      {lines.map((order, index) => (
        <tr key={index === 0 ? 'first' : `${order?.code}·${order?.operationCode}`}>
          {index === 0 && (
            <th scope="rowgroup" rowSpan={lines.length} className={styles.station}>
              {station.description}
              <code>{station.code}</code>
            </th>
          )}
          <td className={styles.current}>
            {order ? <OrderLine order={order} /> : <span className="muted">{t('floor.nothing')}</span>}
          </td>
          {index === 0 && (
            <td rowSpan={lines.length} className={styles.next}>
              <NextOrders orders={next} now={now} />
            </td>
          )}
          <td className={styles.moves}>
            <OrderActions station={station} order={order} id={index === 0 ? station.code : `${station.code}-${index + 1}`} />
          </td>
        </tr>
      ))}
    </tbody>
  );
}

function NextOrders({ orders, now }: { orders: OrderView[]; now: number }) {
  const { t } = useTranslation();
  const formats = useFormats();
  if (orders.length === 0) return <span className="muted">{t('floor.noneNext')}</span>;
  return (
    <ol className={styles.coming}>
      {orders.map((order) => (
        <li key={`${order.code}·${order.operationCode}`}>
          <code>{order.code}</code>
          <span className="number">{order.beginPlanned ? formatPlanned(order.beginPlanned, now, formats) : t('floor.noDate')}</span>
        </li>
      ))}
    </ol>
  );
}
