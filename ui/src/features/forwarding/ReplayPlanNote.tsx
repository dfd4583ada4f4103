import { useTranslation } from 'react-i18next';

import { useEventKinds } from '@/base/useEventKinds';
import { useFormats } from '@/base/useFormats';
import type { ReplayPlan } from '@/ipc/bindings';
import styles from './forwarding.module.css';

/** What would be sent: how many, of which kinds, of which time, and who could read it. */
export function ReplayPlanNote({ plan: { count, cut, kinds, first, last, open } }: { plan: ReplayPlan }) {
  const { t } = useTranslation();
  const { moment, number, name } = useFormats();
  const eventKinds = useEventKinds();
  const named = (kind: number | null) => {
    const eventKind = eventKinds.find(({ id }) => id === kind);
    if (eventKind) return name(eventKind);
    return kind === null ? t('inbox.noKind') : t('inbox.unknownKind', { kind });
  };
  return (
    <div data-testid="replay-plan">
      <p className={styles.plan}>
        {count === 0
          ? t('replay.none')
          : t('replay.would', { count, shown: number(count), first: moment(first ?? ''), last: moment(last ?? '') })}
      </p>
      {count > 1 && <p className="small muted">{kinds.map(([kind, of]) => `${named(kind)} ${number(of)}`).join(' · ')}</p>}
      {cut && <p className={styles.idle}>{t('replay.cut')}</p>}
      {open && <p className={styles.idle}>{t('forwarding.open')}</p>}
    </div>
  );
}
