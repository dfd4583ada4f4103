import i18next from 'i18next';

import { showProblemNotice } from '@/components/notices/problemNotice';
import { showWarningNotice } from '@/components/notices/warningNotice';
import { type WindowView, commands } from '@/ipc/bindings';

/** Opens the floor or a list in a separate window, or brings its open window to the front. */
export async function openWindow(view: WindowView): Promise<void> {
  try {
    const outcome = await commands.viewWindowOpen(view);
    if (outcome.state === 'full') showWarningNotice(i18next.t('window.full', { count: outcome.most }));
  } catch (cause) {
    showProblemNotice(cause);
  }
}
