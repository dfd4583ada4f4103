import { ActionIcon, Button, Group, MultiSelect, PasswordInput, Select, TextInput, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type DeliveryState, type DeliveryView, type TargetView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { FormButton } from '../common/FormButton';
import { type WallTime, formatPast } from '../common/clock';
import { usePlantCommand } from '../common/usePlant';
import { type EventName, useEventNames } from './eventNames';
import plantStyles from '../common/plant.module.css';
import styles from './side.module.css';

type EventFormProps = { events: EventName[]; close: () => void };

/** Sends an event of a chosen kind, without a matching action on the floor. */
function EventForm({ events, close }: EventFormProps) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const [event, setEvent] = useState<string | null>(null);
  const [order, setOrder] = useState('');
  const { run, busy } = usePlantCommand();
  const submit = (pressed: SyntheticEvent) => {
    pressed.preventDefault();
    const code = order.trim();
    if (event !== null) run(() => commands.plantFire(Number(event), code ? { code, operation: null } : null), close);
  };
  return (
    <form onSubmit={submit} className={plantStyles.form}>
      <h2>{t('events.fire')}</h2>
      <Select
        label={t('events.event')}
        data={events.map((one) => ({ value: String(one.id), label: name(one) }))}
        value={event}
        onChange={setEvent}
        comboboxProps={{ withinPortal: false }}
          maxDropdownHeight={420}
        data-autofocus
        data-testid="fire-event"
      />
      <TextInput
        label={t('events.order')}
        description={t('events.orderHint')}
        value={order}
        onChange={(typed) => setOrder(typed.currentTarget.value)}
        autoComplete="off"
        data-testid="fire-order"
      />
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" type="submit" disabled={event === null || busy} data-testid="fire-yes">
          {t('events.fireYes')}
        </Button>
      </Group>
    </form>
  );
}

type TargetsProps = { targets: TargetView[]; events: EventName[] };

/** Lists the receivers to which the plant sends events. */
function Targets({ targets, events }: TargetsProps) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { run } = usePlantCommand();
  if (targets.length === 0) return null;
  const eventNames = (ids: number[]) =>
    ids.map((id) => events.find((event) => event.id === id)).flatMap((event) => (event ? [name(event)] : []));
  return (
    <ul className={styles.targets} aria-label={t('events.targets')}>
      {targets.map((target) => (
        <li key={target.id}>
          <span className={styles.text}>
            <code>{target.url}</code>
            <span className={styles.small}>
              <span>{target.events.length === 0 ? t('events.all') : eventNames(target.events).join(', ')}</span>
              {target.signed && <span>{t('events.signed')}</span>}
            </span>
          </span>
          <Tooltip label={t('events.remove', { url: target.url })}>
            <ActionIcon
              variant="subtle"
              color="petrol"
              size="sm"
              aria-label={t('events.remove', { url: target.url })}
              onClick={() => run(() => commands.plantTargetRemove(target.id))}
              data-testid={`plant-target-remove-${target.id}`}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </li>
      ))}
    </ul>
  );
}

type TargetFormProps = { events: EventName[]; close: () => void };

/** Adds an event receiver: address, secret and event kinds. */
function TargetForm({ events, close }: TargetFormProps) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const add = useMutation({
    mutationFn: () => commands.plantTargetAdd(url.trim(), secret || null, chosen.map(Number)),
    onSuccess: close,
    onSettled: () => client.invalidateQueries({ queryKey: queryKeys.plant }),
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (url.trim()) add.mutate();
  };
  return (
    <form onSubmit={submit} className={plantStyles.form}>
      <h2>{t('events.add')}</h2>
      <TextInput
        label={t('events.url')}
        placeholder={t('events.urlExample')}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        data-testid="target-url"
      />
      <PasswordInput
        label={t('events.secret')}
        description={t('events.secretHint')}
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': t('siteForm.showSecret') }}
        autoComplete="off"
        data-testid="target-secret"
      />
      <MultiSelect
        label={t('events.which')}
        placeholder={chosen.length === 0 ? t('events.all') : undefined}
        data={events.map((event) => ({ value: String(event.id), label: name(event) }))}
        value={chosen}
        onChange={setChosen}
        comboboxProps={{ withinPortal: false }}
          maxDropdownHeight={420}
        clearButtonProps={{ 'aria-label': t('common.close') }}
        data-testid="target-events"
      />
      {add.error && <ProblemNote problem={toProblem(add.error)} isSubtle />}
      <Group justify="flex-end" gap="xs">
        <Button size="xs" variant="default" onClick={close}>
          {t('common.cancel')}
        </Button>
        <Button size="xs" type="submit" disabled={!url.trim() || add.isPending} data-testid="target-save">
          {t('events.addYes')}
        </Button>
      </Group>
    </form>
  );
}

type Props = { deliveries: DeliveryView[]; targets: TargetView[]; now: WallTime };

const DELIVERY_SIGNS: Record<DeliveryState, { sign: string; tone: string }> = {
  delivered: { sign: '●', tone: 'good' },
  waiting: { sign: '◐', tone: 'accent' },
  failed: { sign: '✕', tone: 'bad' },
  untold: { sign: '–', tone: 'quiet' },
};

/** The event receivers and the latest deliveries. */
export function EventsTab({ deliveries, targets, now }: Props) {
  const { t } = useTranslation();
  const events = useEventNames();
  return (
    <>
      <div className={styles.line}>
        <FormButton label={t('events.add')} testId="plant-target-add">
          {(close) => <TargetForm events={events} close={close} />}
        </FormButton>
        <FormButton label={t('events.fire')} testId="plant-fire">
          {(close) => <EventForm events={events} close={close} />}
        </FormButton>
      </div>
      <Targets targets={targets} events={events} />
      {deliveries.length === 0 && <p className={styles.empty}>{t('events.empty')}</p>}
      <ul className={styles.list} aria-label={t('events.latest')} tabIndex={0} data-testid="plant-deliveries">
        {deliveries.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} events={events} now={now} />
        ))}
      </ul>
    </>
  );
}

function DeliveryRow({ delivery, events, now }: { delivery: DeliveryView; events: EventName[]; now: WallTime }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const eventKind = events.find((event) => event.id === delivery.event);
  const { sign, tone } = DELIVERY_SIGNS[delivery.state];
  return (
    <li className={styles.entry}>
      <div className={styles.text}>
        <p className={styles.head}>
          <span className={styles.sign} data-tone={tone} aria-hidden>
            {sign}
          </span>
          <b className={styles.cut}>{eventKind ? formats.name(eventKind) : delivery.name}</b>
          <time className={styles.when}>{formatPast(delivery.at, now, formats)}</time>
        </p>
        <p className={styles.small}>
          <code>{delivery.subject}</code>
          <span>{t(`events.states.${delivery.state}`)}</span>
          {delivery.attempts > 1 && <span>{t('events.attempts', { count: delivery.attempts })}</span>}
        </p>
        {delivery.target && <p className={styles.small}>{delivery.target}</p>}
        {delivery.reason && <p className={styles.reason}>{delivery.reason}</p>}
      </div>
    </li>
  );
}
