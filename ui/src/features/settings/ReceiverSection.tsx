import { useTranslation } from 'react-i18next';

import { useSiteName } from '@/components/marks/SiteName';
import { ReceiverSettings, useReceiver, useReceiverActions } from '@/features/receiver';
import type { ReceiverView } from '@/ipc/bindings';
import styles from './common/settings.module.css';

/** The selected site's receiver settings. The events page starts and stops the receiver. */
export function ReceiverSection() {
  const { data } = useReceiver();
  return data ? <Fields key={data.site} receiver={data} /> : null;
}

function Fields({ receiver }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const acts = useReceiverActions(receiver);
  return (
    <section className={styles.section} aria-labelledby="receiver">
      <h2 id="receiver">
        {t('receiver.name')} <span className="muted">{siteName(receiver.site)}</span>
      </h2>
      <div className={styles.receiver}>
        <ReceiverSettings receiver={receiver} acts={acts} />
      </div>
    </section>
  );
}
