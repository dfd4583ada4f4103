import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';

import { useSiteName } from '@/components/marks/SiteName';
import { StartProblem } from '@/components/notices/StartProblem';
import { Dialog } from '@/components/page/Dialog';
import type { SubmissionView } from '@/ipc/bindings';
import { useSteering } from '../common/useSubmission';
import { UnconfirmedTotals } from './UnconfirmedTotals';

/** Unconfirmed rows may have arrived: sending them again is a person's decision, with its consequence said. */
export function SendUnconfirmed({ submission, first }: { submission: SubmissionView; first: boolean }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const [opened, { open, close }] = useDisclosure(false);
  const { sendUnconfirmed, decide, busy, problem } = useSteering(submission.id);
  const count = submission.counts.unconfirmed;
  const site = siteName(submission.site);
  return (
    <>
      <Button variant={first ? 'filled' : 'default'} size="xs" onClick={open} data-testid="send-unconfirmed">
        {t('sendUnconfirmed.open', { count })}
      </Button>
      {opened && (
        <Dialog title={t('sendUnconfirmed.title', { count, site })} close={close} wide>
          <p>{t('sendUnconfirmed.explain')}</p>
          <p>{t('sendUnconfirmed.advice')}</p>
          <UnconfirmedTotals submission={submission} />
          <StartProblem problem={problem} busy={busy} again={() => sendUnconfirmed(false, close)} skip={() => sendUnconfirmed(true, close)} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button
              variant="default"
              disabled={busy}
              onClick={() => decide([], 'arrived', false, close)}
              data-testid="all-arrived"
            >
              {t('decide.arrivedAll')}
            </Button>
            <Button
              disabled={busy}
              onClick={() => sendUnconfirmed(false, close)}
              data-testid="send-unconfirmed-confirm"
            >
              {t('sendUnconfirmed.send', { count, site })}
            </Button>
          </Group>
        </Dialog>
      )}
    </>
  );
}
