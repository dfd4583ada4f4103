import { useTranslation } from 'react-i18next';

import { faultText } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import sectionStyles from '@/components/page/section.module.css';
import type { EventDetail, ForwardedEvent } from '@/ipc/bindings';
import { useDeliveryStates } from './useTargets';
import styles from './forwarding.module.css';

/** An event's delivery state at each target. Hidden if no target has the event. */
export function ForwardSection({ event }: { event: EventDetail }) {
  const { t } = useTranslation();
  const { data = [] } = useDeliveryStates(event.line.id);
  if (data.length === 0) return null;
  return (
    <section>
      <h2 className={sectionStyles.sectionTitle}>{t('forwarding.section')}</h2>
      <ul className={styles.stops} data-testid="event-forwarded">
        {data.map((one) => (
          <StopLine key={one.target} one={one} />
        ))}
      </ul>
    </section>
  );
}

function StopLine({ one: { name, stop, at, fault, status } }: { one: ForwardedEvent }) {
  const { t } = useTranslation();
  const { moment } = useFormats();
  return (
    <li data-stop={stop}>
      <strong>{name}</strong> {t(`forwarding.stop.${stop}`, { moment: at === null ? '' : moment(at) })}
      {fault && <span className="muted"> {faultText(fault, status)}</span>}
    </li>
  );
}
