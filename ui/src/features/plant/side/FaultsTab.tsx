import { Button, Checkbox, NumberInput } from '@mantine/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { commands } from '@/ipc/bindings';
import { usePlantCommand } from '../common/usePlant';
import { type FaultKind, FAULTS_BY_GROUP, FAULT_GROUPS, toPercent, parseFaults, formatFaults } from './faults';
import styles from './side.module.css';

type CommittedNumberProps = {
  value: number;
  max: number;
  change: (value: number) => void;
  testId: string;
  label?: string;
  labelledBy?: string;
  description?: string;
  suffix?: string;
  fractions?: boolean;
};

/** A number input that applies its value on blur or Enter. While you type, changes from elsewhere are ignored. */
function CommittedNumber({ value, max, change, testId, label, labelledBy, description, suffix, fractions = false }: CommittedNumberProps) {
  const [typed, setTyped] = useState<number | string | null>(null);
  const commit = () => {
    if (typed !== null && typed !== '' && Number(typed) !== value) change(Number(typed));
    setTyped(null);
  };
  return (
    <NumberInput
      label={label}
      description={description}
      aria-labelledby={labelledBy}
      value={typed ?? value}
      onChange={setTyped}
      onFocus={() => setTyped(value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      min={0}
      max={max}
      clampBehavior="strict"
      allowDecimal={fractions}
      decimalScale={2}
      allowNegative={false}
      suffix={suffix}
      hideControls
      size="xs"
      data-testid={testId}
    />
  );
}

type FaultRowProps = { kind: FaultKind; odds: number; change: (odds: number) => void };

/** One fault: description, switch, and percentage of affected requests. */
function FaultRow({ kind, odds, change }: FaultRowProps) {
  const { t } = useTranslation();
  const labelId = useId();
  const on = odds > 0;
  return (
    <div className={styles.fault} data-on={on}>
      <Checkbox
        checked={on}
        onChange={() => change(on ? 0 : 1)}
        label={<span id={labelId}>{t(`faults.${kind}`)}</span>}
        description={<code>{kind}</code>}
        data-testid={`plant-fault-${kind}`}
      />
      {on && (
        <CommittedNumber
          labelledBy={labelId}
          value={toPercent(odds)}
          max={100}
          fractions
          suffix=" %"
          change={(share) => change(share / 100)}
          testId={`plant-odds-${kind}`}
        />
      )}
    </div>
  );
}

type Props = { faults: string[]; seed: number };

/** Faults that the plant can simulate, with the percentage of affected requests. */
export function FaultsTab({ faults, seed }: Props) {
  const { t } = useTranslation();
  const { run } = usePlantCommand();
  const now = parseFaults(faults);
  const applyFaults = (next: typeof now, newSeed: number) => run(() => commands.plantFaults(formatFaults(next), newSeed));
  const setOdds = (kind: FaultKind, odds: number) => applyFaults({ ...now, odds: { ...now.odds, [kind]: odds } }, seed);
  return (
    <>
      <div className={styles.line}>
        <p className={styles.what}>{t('fault.what')}</p>
        <Button
          size="xs"
          variant="default"
          disabled={faults.length === 0}
          onClick={() => applyFaults({ odds: {}, latency: 0 }, seed)}
          data-testid="plant-faults-off"
        >
          {t('fault.off')}
        </Button>
      </div>
      <div className={styles.list} tabIndex={0} role="group" aria-label={t('side.faults')}>
        {FAULT_GROUPS.map((group) => (
          <fieldset key={group} className={styles.group}>
            <legend>{t(`fault.groups.${group}`)}</legend>
            {FAULTS_BY_GROUP[group].map((kind) => (
              <FaultRow key={kind} kind={kind} odds={now.odds[kind] ?? 0} change={(odds) => setOdds(kind, odds)} />
            ))}
          </fieldset>
        ))}
        <fieldset className={styles.group}>
          <legend>{t('fault.groups.always')}</legend>
          <div className={styles.numbers}>
            <CommittedNumber
              label={t('fault.latency')}
              value={now.latency}
              max={60_000}
              suffix=" ms"
              change={(latency) => applyFaults({ ...now, latency }, seed)}
              testId="plant-fault-latency"
            />
            <CommittedNumber
              label={t('fault.seed')}
              description={t('fault.seedHint')}
              value={seed}
              max={4_294_967_295}
              change={(dice) => applyFaults(now, dice)}
              testId="plant-fault-seed"
            />
          </div>
        </fieldset>
      </div>
    </>
  );
}
