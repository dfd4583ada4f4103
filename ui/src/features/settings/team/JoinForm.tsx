import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { type TeamJoinView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from '../common/settings.module.css';

/** Where the team's database is. What was typed ends with the form: nothing of it is kept once the team is joined. */
export function JoinForm({ joined }: { joined: (joined: TeamJoinView) => void }) {
  const { t } = useTranslation();
  const [address, setAddress] = useState('');
  const [password, setPassword] = useState('');
  const join = useMutation({
    mutationFn: () => commands.teamJoin(address.trim(), password || null),
    onSuccess: (team) => {
      setPassword('');
      joined(team);
    },
    // What it was told isn't kept after it.
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
        <div>
          <Button type="submit" disabled={!address.trim()} loading={join.isPending} data-testid="team-join">
            {t('team.join')}
          </Button>
        </div>
        {join.error && <ProblemNote problem={toProblem(join.error)} />}
      </form>
    </>
  );
}
