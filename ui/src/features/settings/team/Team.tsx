import { Button, Group, PasswordInput, Progress, Stack, TextInput } from '@mantine/core';
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type TeamJoinProgress, type TeamJoinView, type TeamView, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';
import { Membership } from './Membership';
import styles from '../common/settings.module.css';

type Joining = { ticket: number; progress: TeamJoinProgress | null };

/** Form for joining a team's database. Its input is discarded after joining. */
function JoinForm({ onJoin }: { onJoin: (joined: TeamJoinView) => void }) {
  const { t } = useTranslation();
  const [address, setAddress] = useState('');
  const [password, setPassword] = useState('');
  const [joining, setJoining] = useState<Joining | null>(null);
  const join = useMutation({
    mutationFn: () => {
      const ticket = nextTicket();
      setJoining({ ticket, progress: null });
      const channel = createChannel<TeamJoinProgress>((progress) => setJoining({ ticket, progress }));
      return commands.teamJoin(address.trim(), password || null, ticket, channel);
    },
    onSuccess: (team) => {
      setPassword('');
      onJoin(team);
    },
    onSettled: () => setJoining(null),
    // The address contains credentials, so it isn't cached.
    gcTime: 0,
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (address.trim() && !join.isPending) join.mutate();
  };
  return (
    <>
      <p>{t('team.explain')}</p>
      <form className={styles.team} onSubmit={submit}>
        <TextInput
          label={t('team.address')}
          placeholder={t('team.addressExample')}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          data-testid="team-address"
        />
        <PasswordInput
          label={t('team.password')}
          description={t('team.passwordHint')}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': t('team.showPassword') }}
          autoComplete="off"
          data-testid="team-password"
        />
        <Group gap={12}>
          <Button type="submit" disabled={!address.trim()} loading={join.isPending} data-testid="team-join">
            {t('team.join')}
          </Button>
          {joining && (
            <Button variant="default" onClick={() => void commands.ticketStop(joining.ticket).catch(() => undefined)} data-testid="team-join-stop">
              {t('team.joinStop')}
            </Button>
          )}
        </Group>
        {joining?.progress && joining.progress.total + joining.progress.totalEvents > 0 && <JoinProgress progress={joining.progress} />}
        {join.error && <ProblemNote problem={toProblem(join.error)} />}
      </form>
    </>
  );
}

/** Shows the progress of copying this computer's history to the team's database. */
function JoinProgress({ progress: { carried, total, events, totalEvents } }: { progress: TeamJoinProgress }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const progressTexts = [
    total > 0 && t('team.joinProgress', { submissions: number(carried), total: number(total) }),
    totalEvents > 0 && t('team.joinProgressEvents', { count: totalEvents, events: number(events), total: number(totalEvents) }),
  ].filter((part) => part !== false);
  return (
    <Stack gap={8} data-testid="team-join-progress">
      <Progress value={((carried + events) / (total + totalEvents)) * 100} size="sm" aria-label={progressTexts.join(' ')} />
      {progressTexts.map((part) => (
        <p key={part} className="muted number">
          {part}
        </p>
      ))}
    </Stack>
  );
}

/** Settings for the shared history. Joining and leaving take effect when Takt starts the next time. */
export function Team() {
  const { t } = useTranslation();
  const { data, error } = useTeam();
  const queries = useQueryClient();
  const [joined, setJoined] = useState<TeamJoinView | null>(null);
  const [hasLeft, setHasLeft] = useState(false);
  const storeMembership = (team: TeamView | null, join: TeamJoinView | null) => {
    setJoined(join);
    setHasLeft(team === null);
    queries.setQueryData(queryKeys.team, team);
  };
  return (
    <section className={styles.section} aria-labelledby="team" data-testid="settings-team">
      <h2 id="team">{t('team.title')}</h2>
      {error && <ProblemNote problem={toProblem(error)} />}
      <div role="status">
        {joined && <JoinResult joined={joined} />}
        {hasLeft && <p data-testid="team-left">{t('team.hasLeft')}</p>}
      </div>
      {data === null && (
        <JoinForm onJoin={(join) => storeMembership({ address: join.check.address, user: join.check.user, byEnvironment: false }, join)} />
      )}
      {data && <Membership team={data} joined={joined?.check ?? null} onLeave={() => storeMembership(null, null)} />}
    </section>
  );
}

/** Shows that joining takes effect at the next start, and how much data was copied. */
function JoinResult({ joined: { carried, open, events, targets, knownTargets, pausedTargets } }: { joined: TeamJoinView }) {
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
