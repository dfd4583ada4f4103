import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type TeamCheckView, type TeamView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { JoinForm } from './JoinForm';
import { Membership } from './Membership';
import styles from '../common/settings.module.css';

/** The history that colleagues share: joined, checked and left. Joining and leaving apply from the next start. */
export function Team() {
  const { t } = useTranslation();
  const { data, error } = useTeam();
  const queries = useQueryClient();
  const [joined, setJoined] = useState<TeamCheckView | null>(null);
  const [hasLeft, setLeft] = useState(false);
  const become = (team: TeamView | null, check: TeamCheckView | null) => {
    setJoined(check);
    setLeft(team === null);
    queries.setQueryData(queryKeys.team, team);
  };
  return (
    <section className={styles.section} aria-labelledby="team" data-testid="settings-team">
      <h2 id="team">{t('team.title')}</h2>
      {error && <ProblemNote problem={toProblem(error)} />}
      <div role="status">
        {joined && <p data-testid="team-joined">{t('team.joined')}</p>}
        {hasLeft && <p data-testid="team-left">{t('team.hasLeft')}</p>}
      </div>
      {data === null && (
        <JoinForm joined={(check) => become({ address: check.address, user: check.user, byEnvironment: false }, check)} />
      )}
      {data && <Membership team={data} joined={joined} left={() => become(null, null)} />}
    </section>
  );
}

export function useTeam(): UseQueryResult<TeamView | null> {
  return useQuery({ queryKey: queryKeys.team, queryFn: () => commands.teamView() });
}
