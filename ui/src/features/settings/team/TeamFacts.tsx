import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { ApprovalRuleView, TeamCheckView, TeamView } from '@/ipc/bindings';
import styles from '../common/settings.module.css';

/** The team database's address, and the result of its last check. */
export function TeamFacts({ team, check }: { team: TeamView; check: TeamCheckView | null }) {
  const { t } = useTranslation();
  return (
    <dl className={styles.facts} data-testid={check ? 'team-checked' : 'team-facts'}>
      <Fact name={t('team.database')}>{check?.address ?? team.address}</Fact>
      <Fact name={t('team.user')}>{check?.user ?? team.user}</Fact>
      {check && <Checked check={check} />}
    </dl>
  );
}

function Checked({ check }: { check: TeamCheckView }) {
  const { t } = useTranslation();
  const { number, duration } = useFormats();
  const tenths = useTenths();
  const clock = Math.round(check.clockSeconds ?? 0);
  return (
    <>
      <Fact name={t('team.server')}>{check.server}</Fact>
      <Fact name={t('team.schema')}>{number(check.schema)}</Fact>
      <Fact name={t('team.latency')}>{t('team.milliseconds', { time: tenths(check.latencyMilliseconds) })}</Fact>
      <Fact name={t('team.clock')}>
        {clock === 0 ? t('team.clockSame') : t(clock > 0 ? 'team.clockAhead' : 'team.clockBehind', { time: duration(Math.abs(clock)) })}
      </Fact>
      <Fact name={t('team.size')}>{t('storage.megabytes', { size: tenths(check.megabytes) })}</Fact>
      <Fact name={t('team.running')}>
        {check.running.length === 0
          ? t('team.nobody')
          : check.running.map(({ submission, desk }) => (
              <div key={submission}>{t('team.run', { person: desk, submission: number(submission) })}</div>
            ))}
      </Fact>
      <Fact name={t('team.approvals')}>
        {check.approvalRules.length === 0 ? t('team.noApprovals') : check.approvalRules.map((rule) => <Rule key={rule.service} rule={rule} />)}
      </Fact>
    </>
  );
}

/** Describes a service's approval rule. */
function Rule({ rule: { service, rowsAbove, deletes } }: { rule: ApprovalRuleView }) {
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
