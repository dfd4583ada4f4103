import { Button, Popover } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { EventGap } from '@/ipc/bindings';
import { useGaps } from './useGaps';
import styles from '../common/events.module.css';

/** When nothing could come lately, so that nobody takes silence for a quiet floor. */
export function GapStrip({ site }: { site: string }) {
  const { t } = useTranslation();
  const gapText = useGapText();
  const [begun] = useState(() => Date.now());
  const { gaps } = useGaps(site);
  const [latest, ...others] = gaps.filter(({ until }) => begun - Date.parse(until) < recent);
  if (!latest) return null;
  return (
    <div className={styles.gap} role="note" data-testid="gap">
      <span aria-hidden>◆</span>
      <span className={styles.gapText}>{gapText(latest)}</span>
      {others.length > 0 && (
        <Popover width={420} position="bottom-end" shadow="md">
          <Popover.Target>
            <Button size="compact-xs" variant="subtle">
              {t('inbox.gap.more', { count: others.length })}
            </Button>
          </Popover.Target>
          <Popover.Dropdown aria-label={t('inbox.gap.more', { count: others.length })}>
            <ul className={styles.gaps} tabIndex={0}>
              {others.map((gap) => (
                <li key={gap.since}>{gapText(gap)}</li>
              ))}
            </ul>
          </Popover.Dropdown>
        </Popover>
      )}
    </div>
  );
}

function useGapText(): (gap: EventGap) => string {
  const { t } = useTranslation();
  const { moment, duration } = useFormats();
  return ({ since, until, asleep }) => {
    const seconds = (Date.parse(until) - Date.parse(since)) / 1000;
    const values = { since: moment(since), until: moment(until), long: duration(seconds) };
    return asleep ? t('inbox.gap.asleep', values) : t('inbox.gap.off', values);
  };
}

/** Older ones are marked between the rows alone. Milliseconds. */
const recent = 24 * 60 * 60 * 1000;
