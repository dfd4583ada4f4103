import { Button } from '@mantine/core';
import { IconHandStop, IconPlayerStopFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { type ClockCommand, type Overview, type Pace, commands } from '@/ipc/bindings';
import { minutesUntil, nextMorning, timeOfDay, parseWallTime } from './common/clock';
import { usePlantCommand } from './common/usePlant';
import styles from './common/plant.module.css';

const SPEEDS = [1, 60, 600];
const ADVANCE_MINUTES = [60, 480];

type Props = { plant: Overview; fetchedAt: number };

/** Shows the plant's clock and speed, with buttons to change both. */
export function ClockStrip({ plant, fetchedAt }: Props) {
  const { t } = useTranslation();
  const { number, weekday } = useFormats();
  const { run, busy } = usePlantCommand();
  const { pace } = plant;
  const now = parseWallTime(plant.now) ?? 0;
  const morning = nextMorning(now);
  const setClock = (what: ClockCommand) => run(() => commands.plantClock(what));
  const advanceClock = (minutes: number) => setClock({ kind: 'advance', minutes });
  const speed = pace.state === 'running' ? pace.speed : null;
  return (
    <section className={styles.strip} aria-label={t('plant.clock')} aria-busy={busy}>
      <Clock now={now} fetchedAt={fetchedAt} pace={pace} zone={plant.timeZone} />
      <ButtonGroup label={t('plant.pace')}>
        {SPEEDS.map((one) => (
          <ClockButton
            key={one}
            pressed={speed === one}
            press={() => setClock({ kind: 'run', speed: one })}
            testId={one === 1 ? 'plant-run' : `plant-run-${one}`}
            label={t('plant.run', { speed: number(one) })}
          >
            {one === 1 && <IconPlayerPlayFilled size={12} aria-hidden />}
            {t('plant.times', { speed: number(one) })}
          </ClockButton>
        ))}
        <ClockButton pressed={pace.state === 'idle'} press={() => setClock({ kind: 'idle' })} testId="plant-idle">
          <IconHandStop size={14} aria-hidden />
          {t('plant.byHand')}
        </ClockButton>
        <ClockButton pressed={pace.state === 'stopped'} press={() => setClock({ kind: 'stop' })} testId="plant-stop">
          <IconPlayerStopFilled size={12} aria-hidden />
          {t('plant.stop')}
        </ClockButton>
      </ButtonGroup>
      <ButtonGroup label={t('plant.ahead')}>
        {ADVANCE_MINUTES.map((minutes) => (
          <ClockButton key={minutes} press={() => advanceClock(minutes)} testId={`plant-advance-${minutes}`}>
            {t('plant.hours', { hours: number(minutes / 60) })}
          </ClockButton>
        ))}
        <ClockButton press={() => advanceClock(minutesUntil(morning, now))} testId="plant-advance-morning">
          {t('plant.until', { when: `${weekday(morning)} ${timeOfDay(morning).slice(0, 5)}` })}
        </ClockButton>
      </ButtonGroup>
    </section>
  );
}

type ClockProps = { now: number; fetchedAt: number; pace: Pace; zone: string };

/** The plant's clock. It advances between two updates. */
function Clock({ now, fetchedAt, pace, zone }: ClockProps) {
  const { t } = useTranslation();
  const { day, decimal } = useFormats();
  const rate = pace.state === 'running' ? (pace.speed ?? 1) : pace.state === 'idle' ? 1 : 0;
  const [at, setAt] = useState(now);
  useEffect(() => {
    const show = () => setAt(now + (Date.now() - fetchedAt) * rate);
    show();
    if (rate === 0) return undefined;
    const ticking = setInterval(show, 200);
    return () => clearInterval(ticking);
  }, [now, fetchedAt, rate]);
  return (
    <div className={styles.clock} data-testid="plant-clock" data-state={pace.state}>
      <time className={styles.time}>{timeOfDay(at)}</time>
      <span className={styles.day}>
        {day(at)} · {zone}
      </span>
      <span className={styles.pace} data-state={pace.state}>
        {pace.state === 'running'
          ? t('plant.running', { speed: decimal(pace.speed ?? 1) })
          : t(`plant.paces.${pace.state}`)}
      </span>
    </div>
  );
}

function ButtonGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.group}>
      <span className={styles.label} aria-hidden>
        {label}
      </span>
      <Button.Group aria-label={label}>{children}</Button.Group>
    </div>
  );
}

type ClockButtonProps = { press: () => void; testId: string; children: ReactNode; label?: string; pressed?: boolean };

function ClockButton({ press, testId, children, label, pressed }: ClockButtonProps) {
  return (
    <Button
      variant="default"
      size="xs"
      className={styles.press}
      aria-pressed={pressed}
      aria-label={label}
      onClick={press}
      data-testid={testId}
    >
      <span className={styles.face}>{children}</span>
    </Button>
  );
}
