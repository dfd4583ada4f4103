import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconChecklist } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { awaitsDecision } from '@/features/submission';
import { commands } from '@/ipc/bindings';
import styles from './bar.module.css';

/** Old ones are decided without anybody telling. */
const SLOWLY = 60_000;

/** Submissions of colleagues that wait for this person's approval; the way to the oldest. */
export function WaitingApprovals() {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { data } = useQuery({
    queryKey: queryKeys.approvals,
    queryFn: () => commands.approvalsWaiting(),
    refetchInterval: ({ state }) => (state.data?.length ? SLOWLY : false),
  });
  const waiting = data?.filter((one) => one.state === 'paused' && awaitsDecision(one)) ?? [];
  const [oldest] = waiting;
  if (!oldest) return null;
  const count = waiting.length;
  return (
    <UnstyledButton
      className={styles.chip}
      title={t('approval.barHint', { count })}
      onClick={() => go({ page: 'history', submission: oldest.id })}
      data-testid="approvals-waiting"
    >
      <IconChecklist size={16} aria-hidden />
      <span className="number">{t('approval.bar', { count })}</span>
    </UnstyledButton>
  );
}
