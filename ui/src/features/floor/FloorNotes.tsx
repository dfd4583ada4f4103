import { Button } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '@/base/preferences';
import { secondsSince, siteTime } from '@/base/siteTime';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { RuleFailures } from '@/features/answers';
import type { Floor, FloorRead } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { Differences } from './Differences';
import styles from './floor.module.css';

/** Seconds without a sign of life after which a receiver is taken for off. */
const SILENT = 90;
/** A gap is told for so long after it, in seconds. */
const TOLD = 24 * 3600;

type Props = { floor: Floor; now: number; read: UseMutationResult<FloorRead, unknown, void> };

/** What the floor may miss, and what the service itself says. */
export function FloorNotes({ floor, now, read }: Props) {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const { gap, listening, zone } = floor;
  const time = (iso: string) => siteTime(iso, zone, language, now);
  const off = listening === null || secondsSince(listening, now) > SILENT;
  const isRecent = gap !== null && secondsSince(gap.until, now) < TOLD;
  const note = (
    <Button size="compact-sm" variant="default" onClick={() => read.mutate()} loading={read.isPending} data-testid="floor-read">
      {t('floorNow.read')}
    </Button>
  );
  return (
    <>
      {floor.rulesFailing && <RuleFailures failing={floor.rulesFailing} />}
      {off && (
        <p className={styles.gap} role="status" data-testid="floor-off">
          {listening === null ? t('floorNow.neverOn') : t('floorNow.off', { time: time(listening) })}
        </p>
      )}
      {isRecent && (
        <p className={styles.gap} role="status" data-testid="floor-gap">
          {t(gap.asleep ? 'floorNow.gapAsleep' : 'floorNow.gap', { since: time(gap.since), until: time(gap.until) })} {note}
        </p>
      )}
      {!isRecent && (
        // The button stands first: the text grows when the first read ends, and must not push it away from under the pointer.
        <p className={styles.ask}>
          {note} {floor.asked === null ? t('floorNow.byEvents') : t('floorNow.byEventsAndService', { time: time(floor.asked) })}
        </p>
      )}
      {read.error !== null && <ProblemNote problem={toProblem(read.error)} again={() => read.mutate()} />}
      {read.data && <Differences read={read.data} time={time} />}
    </>
  );
}
