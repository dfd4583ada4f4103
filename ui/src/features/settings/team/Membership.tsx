import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { type ApprovalRuleView, type TeamCheckView, type TeamView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { TeamChanges } from './TeamChanges';
import styles from '../common/settings.module.css';

/** The team database's address, and the result of its last check. */
function TeamFacts({ team, check }: { team: TeamView; check: TeamCheckView | null }) {
  const { t } = useTranslation();
  return (
    <dl className={styles.facts} data-testid={check ? 'team-checked' : 'team-facts'}>
      <Fact name={t('team.database')}>{check?.address ?? team.address}</Fact>
      <Fact name={t('team.user')}>{check?.user ?? team.user}</Fact>
      {check && <CheckFacts check={check} />}
    </dl>
  );
}

function CheckFacts({ check }: { check: TeamCheckView }) {
  const { t } = useTranslation();
  const { number, duration } = useFormats();
  const formatTenths = useTenths();
  const clock = Math.round(check.clockSeconds ?? 0);
  return (
    <>
      <Fact name={t('team.server')}>{check.server}</Fact>
      <Fact name={t('team.schema')}>{number(check.schema)}</Fact>
      <Fact name={t('team.latency')}>{t('team.milliseconds', { time: formatTenths(check.latencyMilliseconds) })}</Fact>
      <Fact name={t('team.clock')}>
        {clock === 0 ? t('team.clockSame') : t(clock > 0 ? 'team.clockAhead' : 'team.clockBehind', { time: duration(Math.abs(clock)) })}
      </Fact>
      <Fact name={t('team.size')}>{t('storage.megabytes', { size: formatTenths(check.megabytes) })}</Fact>
      <Fact name={t('team.running')}>
        {check.running.length === 0
          ? t('team.nobody')
          : check.running.map(({ submission, desk }) => (
              <div key={submission}>{t('team.run', { person: desk, submission: number(submission) })}</div>
            ))}
      </Fact>
      <Fact name={t('team.approvals')}>
        {check.approvalRules.length === 0 ? t('team.noApprovals') : check.approvalRules.map((rule) => <ApprovalRule key={rule.service} rule={rule} />)}
      </Fact>
    </>
  );
}

/** Describes a service's approval rule. */
function ApprovalRule({ rule: { service, rowsAbove, deletes } }: { rule: ApprovalRuleView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  if (rowsAbove === null) return <div>{t('team.approvalDeletes', { service })}</div>;
  return <div>{t(deletes ? 'team.approvalBoth' : 'team.approvalRows', { count: rowsAbove, rows: number(rowsAbove), service })}</div>;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="muted">{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function useTenths(): (value: number | null) => string {
  const { decimal } = useFormats();
  return (value) => decimal(Math.round((value ?? 0) * 10) / 10);
}

type Props = {
  team: TeamView;
  /** The check's result from joining. Null if the team was joined earlier. */
  joined: TeamCheckView | null;
  onLeave: () => void;
};

/** The joined team: its database's facts, and a leave button. */
export function Membership({ team, joined, onLeave }: Props) {
  const { t } = useTranslation();
  const check = useMutation({ mutationFn: () => commands.teamCheck() });
  // After a failed check, an earlier result doesn't apply.
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
        {!team.byEnvironment && <LeaveTeamButton left={onLeave} />}
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

function LeaveTeamButton({ left: onLeave }: { left: () => void }) {
  const { t } = useTranslation();
  const [opened, { open, close }] = useDisclosure(false);
  const leave = useMutation({ mutationFn: () => commands.teamLeave(), onSuccess: onLeave });
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
