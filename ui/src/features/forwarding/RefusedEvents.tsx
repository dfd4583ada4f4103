import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { faultText } from '@/base/engineWords';
import { useNavigation } from '@/base/navigation';
import { useFormats } from '@/base/useFormats';
import { type ForwardTarget, type ForwardedEvent, commands } from '@/ipc/bindings';
import { useAct, useAside } from './useTargets';
import styles from './forwarding.module.css';

/** What a target refused so that the others get through, and sending it again. */
export function RefusedEvents({ target }: { target: ForwardTarget }) {
  const { t } = useTranslation();
  const { data = [] } = useAside(target);
  const { act, busy } = useAct();
  const again = (events: number[]) => act(() => commands.forwardAgain(target.id, events));
  return (
    <section aria-label={t('forwarding.asideTitle')}>
      <h2 className={styles.asideTitle}>
        {t('forwarding.asideTitle')}
        <Button size="compact-xs" variant="default" disabled={busy} onClick={() => again([])} data-testid="forward-again-all">
          {t('forwarding.againAll')}
        </Button>
      </h2>
      <ul className={styles.asides} data-testid="forward-aside">
        {data.map((one) => (
          <Aside key={one.event} one={one} again={() => again([one.event])} />
        ))}
      </ul>
    </section>
  );
}

function Aside({ one, again }: { one: ForwardedEvent; again: () => void }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { moment } = useFormats();
  const { event, stop, at, tries, fault, status, told } = one;
  return (
    <li>
      <div className={styles.asideHead}>
        <Button size="compact-xs" variant="subtle" color="petrol" onClick={() => go({ page: 'events', tab: 'list', event })}>
          {t('forwarding.event', { event })}
        </Button>
        {stop === 'again' ? (
          <span className="muted small">{t('forwarding.stop.again')}</span>
        ) : (
          <Button size="compact-xs" variant="default" onClick={again} aria-label={t('forwarding.againOne', { event })} data-testid={`forward-again-${event}`}>
            {t('forwarding.again')}
          </Button>
        )}
      </div>
      <p className="small muted">{t('forwarding.asideSince', { count: tries, moment: moment(at ?? '') })}</p>
      <p className="small">{fault && faultText(fault, status)}</p>
      {told && <blockquote className="mono small">{told}</blockquote>}
    </li>
  );
}
