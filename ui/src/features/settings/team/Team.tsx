import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type TeamJoinView, type TeamView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { JoinForm } from './JoinForm';
import { Membership } from './Membership';
import styles from '../common/settings.module.css';

/** The shared history: join, check and leave. Joining and leaving take effect at the next start. */
export function Team() {
  const { t } = useTranslation();
  const { data, error } = useTeam();
  const queries = useQueryClient();
  const [joined, setJoined] = useState<TeamJoinView | null>(null);
  const [hasLeft, setLeft] = useState(false);
  const become = (team: TeamView | null, join: TeamJoinView | null) => {
    setJoined(join);
    setLeft(team === null);
    queries.setQueryData(queryKeys.team, team);
  };
  return (
    <section className={styles.section} aria-labelledby="team" data-testid="settings-team">
      <h2 id="team">{t('team.title')}</h2>
      {error && <ProblemNote problem={toProblem(error)} />}
      <div role="status">
        {joined && <Joined joined={joined} />}
        {hasLeft && <p data-testid="team-left">{t('team.hasLeft')}</p>}
      </div>
      {data === null && (
        <JoinForm joined={(join) => become({ address: join.check.address, user: join.check.user, byEnvironment: false }, join)} />
      )}
      {data && <Membership team={data} joined={joined?.check ?? null} left={() => become(null, null)} />}
    </section>
  );
}

/** Summarizes a join that takes effect at the next start, with the copied data. */
function Joined({ joined: { carried, open, events, targets, knownTargets, pausedTargets } }: { joined: TeamJoinView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <div data-testid="team-joined">
      <p>{t('team.joined')}</p>
      {carried > 0 && <p>{t('team.carried', { count: carried, submissions: number(carried) })}</p>}
      {events > 0 && <p>{t('team.events', { count: events, events: number(events) })}</p>}
      {targets > 0 && <p>{t('team.targets', { count: targets, targets: number(targets) })}</p>}
      {knownTargets > 0 && <p>{t('team.knownTargets', { count: knownTargets, targets: number(knownTargets) })}</p>}
      {pausedTargets > 0 && <p>{t('team.pausedTargets', { count: pausedTargets, targets: number(pausedTargets) })}</p>}
      {open > 0 && <p>{t('team.open', { count: open, submissions: number(open) })}</p>}
    </div>
  );
}

export function useTeam(): UseQueryResult<TeamView | null> {
  return useQuery({ queryKey: queryKeys.team, queryFn: () => commands.teamView() });
}
