import { Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { problemHint, problemTitle } from '@/base/engineTexts';
import { type Problem, commands } from '@/ipc/bindings';
import { CopyButton } from '../controls/CopyButton';
import { useCopy } from '../controls/useCopy';
import styles from './problem.module.css';

/** Copies a problem and the newest log lines for support. */
function CopyDetailsButton({ problem }: { problem: Problem }) {
  const { t } = useTranslation();
  const clipboard = useCopy();
  const icon = clipboard.copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  const copy = async () => {
    // If the logs can't be read, the rest is still copied.
    const log = await commands.logTail().catch(() => '');
    const parts = [`${problem.code}: ${problem.message}`, ...problem.reasons, problem.logId, problem.details, log];
    await clipboard.copy(parts.filter(Boolean).join('\n\n'));
  };
  return (
    <Button variant="default" size="xs" leftSection={icon} onClick={() => void copy()} data-testid="copy-details">
      {clipboard.copied ? t('common.copied') : t('problem.copyDetails')}
    </Button>
  );
}

type Props = { problem: Problem; retry?: (() => void) | undefined; isSubtle?: boolean };

/** An error: title, hint, the service's message, its log ID, and the raw response in details. */
export function ProblemNote({ problem, retry, isSubtle = false }: Props) {
  const { t } = useTranslation();
  // The user canceled the question for the site's name, so there is nothing to show.
  if (problem.code === 'confirmation-needed') return null;
  return (
    <section className={isSubtle ? styles.quiet : styles.note} role="alert" data-testid="problem" data-code={problem.code}>
      <p className={styles.title}>
        <span className={styles.mark} aria-hidden>
          ▲
        </span>
        {problemTitle(problem)}
      </p>
      {problem.reasons.length > 0 && (
        <figure className={styles.words}>
          <figcaption className="small muted">{t('problem.words')}</figcaption>
          {problem.reasons.map((reason) => (
            <blockquote key={reason}>{reason}</blockquote>
          ))}
        </figure>
      )}
      <p>{problemHint(problem)}</p>
      {problem.logId && (
        <p className={styles.log}>
          <span className="muted">{t('problem.logId')}</span> <code data-testid="problem-log-id">{problem.logId}</code>
          <CopyButton value={problem.logId} label={t('problem.copyLogId')} />
        </p>
      )}
      {problem.details && (
        <details className={styles.details}>
          <summary>{t('problem.details')}</summary>
          <pre tabIndex={0}>{problem.details}</pre>
          <CopyDetailsButton problem={problem} />
        </details>
      )}
      {retry && (
        <div>
          <Button size="xs" variant="default" onClick={retry} data-testid="problem-again">
            {t('problem.again')}
          </Button>
        </div>
      )}
    </section>
  );
}
