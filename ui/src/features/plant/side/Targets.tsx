import { ActionIcon, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { type TargetView, commands } from '@/ipc/bindings';
import { usePlantCommand } from '../common/usePlant';
import type { EventName } from './eventNames';
import styles from './side.module.css';

type Props = { targets: TargetView[]; events: EventName[] };

/** The plant's event receivers. */
export function Targets({ targets, events }: Props) {
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
