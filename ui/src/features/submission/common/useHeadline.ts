import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { useFormats } from '@/base/useFormats';
import { useCountLabel } from '@/base/useCountLabel';
import { useSiteName } from '@/components/marks/SiteName';
import type { SubmissionView } from '@/ipc/bindings';
import { needsApproval, shownState } from './approval';
import { countedOperation } from './useSubmissionCountLabel';

/** A submission's state as a sentence, and the numbers of the other rows. */
export type Headline = { main: string; rest: string };

/** Returns, for example, "254 orders sent to Works South." and "9 skipped, 0 rejected." */
export function useHeadline(submission: SubmissionView): Headline {
  return useSubmissionHeadline()(submission);
}

/** Returns a function that returns the headline of any submission. */
export function useSubmissionHeadline(): (submission: SubmissionView) => Headline {
  const { t } = useTranslation();
  const { number } = useFormats();
  const countLabel = useCountLabel();
  const siteName = useSiteName();
  const operations = useOperations();
  return (submission) => {
    const { counts, state, total, relation, findingOut, notLinked } = submission;
    const site = siteName(submission.site);
    // No rows are left to send, so the submission is only reading rows back.
    const onlyReads = counts.pending + counts.sending === 0 && counts.unconfirmed > 0;
    if (state === 'running' && (findingOut || onlyReads)) return { main: t('headline.checking', { site }), rest: '' };
    const operation = countedOperation(submission);
    if (state === 'running' || state === 'preparing') {
      return { main: t('headline.sending', { count: total, things: countLabel(total, operation), site }), rest: '' };
    }
    const done = counts.accepted;
    const open = counts.pending + counts.sending;
    const values = { count: done, things: countLabel(done, operation), site };
    const deletes = operations.find((one) => one.id === submission.operation)?.kind === 'delete';
    let main = t('headline.untouched', { site });
    // Unconfirmed rows may have been accepted.
    const unknown = done === 0 && counts.unconfirmed > 0;
    if (unknown) main = t('headline.allUnconfirmed', { count: counts.unconfirmed, things: countLabel(counts.unconfirmed, operation), site });
    else if (done === 0 && counts.rejected > 0) main = t('headline.none', { site });
    else if (done > 0 && deletes) main = t('headline.deleted', values);
    else if (done > 0 && relation === 'undo') main = t('headline.restored', values);
    else if (done > 0) main = t('headline.sent', values);
    const visibleState = shownState(state, submission.approval);
    if (visibleState !== 'finished') main = `${t(`headline.${visibleState}`)} ${main}`;
    if (needsApproval(submission)) return { main, rest: '' };
    const part = (key: 'open' | 'unconfirmed' | 'notLinked' | 'skipped' | 'rejected', count: number) =>
      t(`headline.${key}`, { count, number: number(count), notLinked: number(notLinked) });
    const parts = [
      open > 0 && part('open', open),
      counts.unconfirmed > 0 && !unknown && part('unconfirmed', counts.unconfirmed),
      counts.skipped > 0 && part(notLinked > 0 ? 'notLinked' : 'skipped', counts.skipped),
      // The number of rejected rows is shown even if it is zero.
      part('rejected', counts.rejected),
    ].filter((one) => one !== false);
    return { main, rest: t('headline.rest', { parts: parts.join(', ') }) };
  };
}
