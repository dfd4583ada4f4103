import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { ResultSign } from '@/components/marks/StatusMarks';
import { useImport } from '@/features/import-session';
import { isHeld } from '@/features/submission';
import { commands } from '@/ipc/bindings';
import styles from './bar.module.css';

const slowly = 2000;

/** A submission that runs or waits while another page is open. */
export function BackgroundSubmission() {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { place, go } = useNavigation();
  const session = useImport();
  const { data } = useQuery({
    queryKey: queryKeys.submissions,
    queryFn: () => commands.submissionList(),
    // An answer that an event overtook fixes itself.
    refetchInterval: ({ state }) => (state.data?.some((one) => one.state === 'running') ? slowly : false),
  });
  const running = data?.find((one) => one.state === 'running' || (one.state === 'paused' && !isHeld(one)));
  if (!running) return null;
  const watched =
    (place.page === 'history' && place.submission === running.id) ||
    (place.page === 'import' && session.plan === running.plan && (session.step === 'send' || session.step === 'results'));
  if (watched) return null;
  const done = running.total - running.counts.pending - running.counts.sending;
  return (
    <UnstyledButton
      className={styles.chip}
      onClick={() => go({ page: 'history', submission: running.id })}
      data-testid="background-submission"
    >
      <ResultSign result={running.state === 'paused' ? 'pending' : 'sending'} />
      <span className="number">
        {t(running.state === 'paused' ? 'background.paused' : 'background.running', {
          done: number(done),
          total: number(running.total),
        })}
      </span>
    </UnstyledButton>
  );
}
