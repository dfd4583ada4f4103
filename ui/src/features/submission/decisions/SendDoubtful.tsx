import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';

import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import type { SubmissionView } from '@/ipc/bindings';
import { useSteering } from '../common/useSubmission';
import { DoubtTotals } from './DoubtTotals';

/** Rows in doubt may have arrived: sending them again is a person's decision, with its consequence said. */
export function SendDoubtful({ submission }: { submission: SubmissionView }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const [opened, { open, close }] = useDisclosure(false);
  const { sendDoubtful, decide, busy, problem } = useSteering(submission.id);
  const count = submission.counts.inDoubt;
  const site = siteName(submission.site);
  return (
    <>
      <Button variant="default" size="xs" onClick={open} data-testid="send-doubtful">
        {t('doubtful.open', { count })}
      </Button>
      {opened && (
        <Dialog title={t('doubtful.title', { count, site })} close={close} wide>
          <p>{t('doubtful.explain')}</p>
          <p>{t('doubtful.advice')}</p>
          <DoubtTotals submission={submission} />
          {problem && <ProblemNote problem={problem} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button
              variant="default"
              disabled={busy}
              onClick={() => {
                decide([], 'arrived');
                close();
              }}
              data-testid="all-arrived"
            >
              {t('decide.arrivedAll')}
            </Button>
            <Button
              disabled={busy}
              onClick={() => {
                sendDoubtful();
                close();
              }}
              data-testid="send-doubtful-confirm"
            >
              {t('doubtful.send', { count, site })}
            </Button>
          </Group>
        </Dialog>
      )}
    </>
  );
}
