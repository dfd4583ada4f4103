import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { useEventKinds } from '@/base/useEventKinds';
import { CopyButton } from '@/components/controls/CopyButton';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { useIsPractice, useReceiverActs } from '@/features/receiver';
import { type ReceiverView, commands } from '@/ipc/bindings';
import styles from '../common/events.module.css';

/** Nothing has come yet: what to do, in one step. */
export function EmptyList({ receiver }: { receiver: ReceiverView }) {
  const { t } = useTranslation();
  const acts = useReceiverActs(receiver);
  const practice = useIsPractice();
  const [url] = receiver.urls;
  if (url === undefined) {
    return (
      <div className={styles.empty} data-testid="events-empty">
        <p>{t(receiver.elsewhere ? 'inbox.empty.elsewhere' : 'inbox.empty.off')}</p>
        <Button disabled={acts.busy} onClick={acts.start}>
          {t('receiver.start')}
        </Button>
      </div>
    );
  }
  if (practice) return <Practice />;
  return (
    <div className={styles.empty} data-testid="events-empty">
      <p>{t('inbox.empty.register')}</p>
      <p className={styles.toRegister}>
        <code>{url}</code> <CopyButton wide value={url} label={t('receiver.copy')} />
      </p>
    </div>
  );
}

/** On the practice plant one event is a click away. */
function Practice() {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const kinds = useEventKinds();
  const fire = useMutation({ mutationFn: (kind: number) => commands.plantFire(kind, null), onError: showProblemNotice });
  const [, second] = kinds;
  return (
    <div className={styles.empty} data-testid="events-empty">
      <p>{t('inbox.empty.practice')}</p>
      <div className={styles.tools}>
        <Button disabled={!second || fire.isPending} onClick={() => second && fire.mutate(second.id)} data-testid="events-fire">
          {t('inbox.empty.fire')}
        </Button>
        <Button variant="default" onClick={() => go({ page: 'plant' })}>
          {t('inbox.empty.toPlant')}
        </Button>
      </div>
    </div>
  );
}
