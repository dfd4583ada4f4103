import { notifications } from '@mantine/notifications';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { useImport } from '@/features/import-session';
import { type OpenRequest, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';

/** Opens what comes from outside the window: a workbook that was double-clicked, a link from a mail. */
export function OpenRequests() {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { open } = useImport();
  const show = async (requests: readonly OpenRequest[]) => {
    const [first, ...others] = requests.flatMap((request) => (request.kind === 'workbook' ? [request.path] : []));
    if (first !== undefined) void open(first);
    if (others.length > 0) notifications.show({ message: t('openRequest.oneWorkbook', { files: others.map(nameOf).join(', ') }), color: 'yellow' });
    for (const request of requests) if (request.kind === 'refused') showProblemNotice(request.problem);
    // One page is shown, the last that was asked for.
    const place = requests.findLast(({ kind }) => kind === 'order' || kind === 'submission');
    if (place?.kind === 'submission') go({ page: 'history', submission: place.id });
    if (place?.kind !== 'order') return;
    if (place.site !== null) await commands.siteChoose(place.site);
    go({ page: 'order', code: place.code });
  };
  const latest = useRef(show);
  useEffect(() => {
    latest.current = show;
  });
  useEffect(() => {
    const take = () => void commands.openRequestsTake().then((requests) => latest.current(requests)).catch(showProblemNotice);
    return listen(events.openRequested, take, take);
  }, []);
  return null;
}

/** The file's name without its folder. */
function nameOf(path: string): string {
  return path.split(/[\\/]/u).at(-1) ?? path;
}
