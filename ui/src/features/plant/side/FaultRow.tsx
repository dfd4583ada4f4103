import { Checkbox } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

import { CommittedNumber } from './CommittedNumber';
import { type FaultKind, percent } from './faults';
import styles from './side.module.css';

type Props = { kind: FaultKind; odds: number; change: (odds: number) => void };

/** One fault: description, switch, and percentage of affected requests. */
export function FaultRow({ kind, odds, change }: Props) {
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
          value={percent(odds)}
          most={100}
          fractions
          suffix=" %"
          change={(share) => change(share / 100)}
          testId={`plant-odds-${kind}`}
        />
      )}
    </div>
  );
}
