import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { fromMainPlace } from '@/base/window/windowPlaces';
import { useStoppedNotice } from '@/features/forwarding';
import { useEndNotice } from '@/features/submission';
import { commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';

/** Passes the translated texts of tray and notifications to the shell, and opens the places that are clicked there. */
export function DesktopMessages() {
  const { t } = useTranslation();
  const { go } = useNavigation();
  useEndNotice();
  useStoppedNotice();
  useEffect(() => {
    const tray = { open: t('tray.open'), receiving: t('tray.receiving'), quit: t('tray.quit') };
    const notices = { unknown: t('notices.unknown'), many: t('notices.many'), open: t('notices.open') };
    commands.setNativeTexts({ tray, notices }).catch(() => undefined);
  }, [t]);
  useEffect(() => listen(events.noticeOpened, ({ event }) => go({ page: 'events', event: event ?? undefined })), [go]);
  useEffect(
    () =>
      listen(events.mainPlaceOpened, (opened) => {
        const place = fromMainPlace(opened);
        if (place) go(place);
      }),
    [go],
  );
  return null;
}
