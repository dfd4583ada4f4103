import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { type TeamCheckView, type TeamView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { TeamChanges } from './TeamChanges';
import { TeamFacts } from './TeamFacts';

type Props = {
  team: TeamView;
  /** The check result from joining, until the page is left. */
  joined: TeamCheckView | null;
  left: () => void;
};

/** The joined team: its database's facts, and a leave button. */
export function Membership({ team, joined, left }: Props) {
  const { t } = useTranslation();
  const check = useMutation({ mutationFn: () => commands.teamCheck() });
  // After a failed check, earlier results don't apply.
  const known = check.error ? null : (check.data ?? joined);
  return (
    <>
      {team.byEnvironment && (
        <p className="muted" data-testid="team-by-environment">
          {t('team.byEnvironment')}
        </p>
      )}
      <Group gap={12}>
        <Button variant="default" onClick={() => check.mutate()} loading={check.isPending} data-testid="team-check">
          {t('team.check')}
        </Button>
        {!team.byEnvironment && <LeaveTeam left={left} />}
      </Group>
      {check.error && <ProblemNote problem={toProblem(check.error)} />}
      <div role="status">
        {check.isSuccess && !check.data && <p data-testid="team-next-start">{t('team.nextStart')}</p>}
        <TeamFacts team={team} check={known} />
      </div>
      <TeamChanges />
    </>
  );
}

function LeaveTeam({ left }: { left: () => void }) {
  const { t } = useTranslation();
  const [opened, { open, close }] = useDisclosure(false);
  const leave = useMutation({ mutationFn: () => commands.teamLeave(), onSuccess: left });
  return (
    <>
      <Button variant="default" onClick={open} data-testid="team-leave">
        {t('team.leave')}
      </Button>
      {opened && (
        <Dialog title={t('team.leaveTitle')} close={close}>
          <p>{t('team.leaveWhat')}</p>
          {leave.error && <ProblemNote problem={toProblem(leave.error)} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button color="red" onClick={() => leave.mutate()} disabled={leave.isPending} data-testid="team-leave-confirm">
              {t('team.leaveTitle')}
            </Button>
          </Group>
        </Dialog>
      )}
    </>
  );
}
