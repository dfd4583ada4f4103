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
          <StopLine key={one.target} delivery={one} />
        ))}
      </ul>
    </section>
  );
}

function StopLine({ delivery: { name, stop, at, fault, status } }: { delivery: ForwardedEvent }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  return (
    <li data-stop={stop}>
      <strong>{name}</strong> {t(`forwarding.stop.${stop}`, { moment: at === null ? '' : dateTime(at) })}
      {fault && <span className="muted"> {faultText(fault, status)}</span>}
    </li>
  );
}
