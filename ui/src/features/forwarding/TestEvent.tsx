import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { faultText } from '@/base/engineWords';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type TargetSettings, type TestSent, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from './forwarding.module.css';

type Props = { settings: () => TargetSettings; before: number | null; disabled: boolean };

/** Sends a test event with the form's settings and shows the result. */
export function TestEvent({ settings, before, disabled }: Props) {
  const { t } = useTranslation();
  const test = useMutation({ mutationFn: () => commands.forwardTest(settings(), before) });
  return (
    <div className={styles.test}>
      <Button size="xs" variant="default" loading={test.isPending} disabled={disabled} onClick={() => test.mutate()} data-testid="forward-test">
        {t('forwarding.test')}
      </Button>
      <div role="status" data-testid="forward-tested">
        {test.data && <TestResult sent={test.data} />}
      </div>
      {test.error && <ProblemNote problem={toProblem(test.error)} quiet />}
    </div>
  );
}

function TestResult({ sent: { event, fault, status, told } }: { sent: TestSent }) {
  const { t } = useTranslation();
  return (
    <>
      <p data-state={fault ? 'failing' : 'up-to-date'} className={styles.state}>
        {fault ? faultText(fault, status) : t('forwarding.tested', { status: status ?? '' })}
      </p>
      <p className="small muted">{event === null ? t('forwarding.testedEmpty') : t('forwarding.testedEvent', { event })}</p>
      {told && <blockquote className="mono small">{told}</blockquote>}
    </>
  );
}
