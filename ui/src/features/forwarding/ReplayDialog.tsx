import { Button, Group, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { SteadyLabel } from '@/components/controls/SteadyLabel';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import type { EventQuery } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { DestinationFields } from './DestinationFields';
import { ReplayPlanNote } from './ReplayPlanNote';
import { ReplayResults } from './ReplayResults';
import { destination, isHeld, remember, remembered } from './destination';
import { useReplay, useReplayPlan } from './useReplay';
import styles from './forwarding.module.css';

type Props = { query: EventQuery; close: () => void };

/** Sends events once more: where to, how fast, what would go; then what became of each. */
export function ReplayDialog({ query, close }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [where, setWhere] = useState(remembered);
  const [pace, setPace] = useState(10);
  const to = destination(where);
  // What would go is the same, whether that is allowed or not.
  const plan = useReplayPlan(query, destination({ ...where, allowHttp: false }));
  const { state, send, stop } = useReplay();
  const leave = () => {
    stop();
    close();
  };
  return (
    <Dialog title={t('replay.title')} close={leave} wide>
      <p className="muted">{t('replay.about')}</p>
      <DestinationFields where={where} change={setWhere} />
      <div className={styles.pace}>
        <NumberInput
          label={t('replay.pace')}
          value={pace}
          onChange={(value) => setPace(Number(value) || 1)}
          min={1}
          max={1000}
          w={140}
          data-testid="replay-pace"
        />
      </div>
      {plan.data && <ReplayPlanNote plan={plan.data} />}
      {plan.error && <ProblemNote problem={toProblem(plan.error)} quiet />}
      {state && <ReplayResults state={state} total={plan.data?.count ?? 0} />}
      {state?.problem && <ProblemNote problem={state.problem} quiet />}
      <Group justify="flex-end">
        {state?.running ? (
          <Button variant="default" onClick={stop} data-testid="replay-stop">
            {t('replay.stop')}
          </Button>
        ) : (
          <Button variant="default" onClick={leave} data-testid="replay-close">
            <SteadyLabel label={t(state ? 'common.close' : 'common.cancel')} other={t(state ? 'common.cancel' : 'common.close')} />
          </Button>
        )}
        <Button
          variant={state ? 'default' : 'filled'}
          disabled={to === null || isHeld(where) || !plan.data || plan.data.count === 0 || state?.running}
          onClick={() => {
            if (to === null || !plan.data) return;
            remember(where);
            // What came since the plan was made isn't in it.
            send({ ...query, upTo: plan.data.upTo }, to, pace);
          }}
          data-testid="replay-send"
        >
          {t('replay.send', { count: plan.data?.count ?? 0, shown: number(plan.data?.count ?? 0) })}
        </Button>
      </Group>
    </Dialog>
  );
}
