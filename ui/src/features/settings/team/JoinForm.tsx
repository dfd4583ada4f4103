import { Button, Group, PasswordInput, Progress, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type TeamJoinProgress, type TeamJoinView, commands } from '@/ipc/bindings';
import { createChannel } from '@/ipc/channel';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';
import styles from '../common/settings.module.css';

type Joining = { ticket: number; progress: TeamJoinProgress | null };

/** Form for joining a team's database. The input isn't stored after joining. */
export function JoinForm({ joined }: { joined: (joined: TeamJoinView) => void }) {
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
      joined(team);
    },
    onSettled: () => setJoining(null),
    // Don't cache the credentials.
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
        {joining?.progress && joining.progress.total + joining.progress.totalEvents > 0 && <JoinBar progress={joining.progress} />}
        {join.error && <ProblemNote problem={toProblem(join.error)} />}
      </form>
    </>
  );
}

/** The progress of copying this desk's history to the team. */
function JoinBar({ progress: { carried, total, events, totalEvents } }: { progress: TeamJoinProgress }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const progressTexts = [
    total > 0 && t('team.joinProgress', { submissions: number(carried), total: number(total) }),
    totalEvents > 0 && t('team.joinProgressEvents', { count: totalEvents, events: number(events), total: number(totalEvents) }),
  ].filter((part) => part !== false);
  return (
    <Stack gap={8} data-testid="team-join-progress">
      <Progress value={((carried + events) / (total + totalEvents)) * 100} size="sm" transitionDuration={120} aria-label={progressTexts.join(' ')} />
      {progressTexts.map((part) => (
        <p key={part} className="muted number">
          {part}
        </p>
      ))}
    </Stack>
  );
}
