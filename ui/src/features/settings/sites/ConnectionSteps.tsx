import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { connectionPart, connectionText, outcomeWord } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ConnectionCheck, type ConnectionStep, type StepOutcome, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import styles from '../common/settings.module.css';

/** The steps of a connection check, with hints on whom to ask. */
export function ConnectionSteps({ found }: { found: ConnectionCheck | null }) {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: () => commands.transcriptSave(found?.transcript ?? '', t('connection.saveTitle'), `${found?.site ?? ''} oauth`),
  });
  if (!found) return <p role="status">{t('connection.checking')}</p>;
  return (
    <div className={styles.test} role="status" data-testid="connection-check" data-outcome={found.outcome}>
      <ul className={styles.steps}>
        {found.steps.map((step) => (
          <Step key={`${step.part}·${step.target}`} step={step} />
        ))}
      </ul>
      {found.transcript !== '' && (
        <div>
          <Button size="compact-sm" variant="default" onClick={() => save.mutate()} disabled={save.isPending} data-testid="transcript-save">
            {t('connection.save')}
          </Button>
        </div>
      )}
      {save.error && <ProblemNote problem={toProblem(save.error)} />}
    </div>
  );
}

function Step({ step }: { step: ConnectionStep }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { part, outcome, milliseconds, details } = step;
  return (
    <li data-standing={STATE_KEYS[outcome]} data-testid={`connection-${part}`} data-outcome={outcome}>
      <span aria-hidden>{SIGNS[outcome]}</span>{' '}
      <strong>
        {connectionPart(part)}: {outcomeWord(outcome)}
      </strong>
      {milliseconds !== null && <span className="muted small"> {t('connection.time', { time: number(milliseconds) })}</span>}
      <div>{connectionText(step)}</div>
      {details && (
        <details>
          <summary>{t('connection.details')}</summary>
          <pre>{details}</pre>
        </details>
      )}
    </li>
  );
}

const SIGNS: Record<StepOutcome, string> = { ok: '●', warning: '▲', failed: '✕', skipped: '–' };
const STATE_KEYS: Record<StepOutcome, string> = { ok: 'passed', warning: 'warned', failed: 'failed', skipped: 'skipped' };
