import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import type { SiteTest } from '@/ipc/bindings';
import styles from './settings.module.css';

/** What a test found, step by step. */
export function SiteTestSteps({ found }: { found: SiteTest | null }) {
  const { t } = useTranslation();
  if (!found) return <p role="status">{t('settings.testing')}</p>;
  return (
    <div className={styles.test} role="status" data-testid="site-test">
      <ul className={styles.steps}>
        <TestStep passed={found.serviceReached} words={t('settings.tests.service')} />
        <TestStep passed={found.providerReached} words={t('settings.tests.provider')} />
        <TestStep passed={found.tokenAccepted} words={t('settings.tests.token')} />
        <Clock ahead={found.clockAheadSeconds} />
      </ul>
      {found.oddHeaders.map(({ name, value }) => (
        <p key={name} className="muted small">
          {t('settings.oddHeader', { name, value })}
        </p>
      ))}
      {found.problem && <ProblemNote problem={found.problem} />}
    </div>
  );
}

function TestStep({ passed, words }: { passed: boolean | null; words: string }) {
  const { t } = useTranslation();
  const standing = passed === null ? 'skipped' : passed ? 'passed' : 'failed';
  return (
    <li data-standing={standing}>
      <span aria-hidden>{signs[standing]}</span> {words}: {t(`settings.standings.${standing}`)}
    </li>
  );
}

/** A clock that is far off is worth a word even where everything works. */
function Clock({ ahead }: { ahead: number | null }) {
  const { t } = useTranslation();
  const { duration } = useFormats();
  const off = ahead === null ? 'untold' : Math.abs(ahead) < SAME_CLOCK ? 'same' : ahead > 0 ? 'ahead' : 'behind';
  const standing = off === 'same' ? 'passed' : off === 'untold' ? 'skipped' : 'failed';
  return (
    <li data-standing={standing}>
      <span aria-hidden>{signs[standing]}</span> {t('settings.tests.clock')}:{' '}
      {t(`settings.clocks.${off}`, { time: duration(Math.abs(ahead ?? 0)) })}
    </li>
  );
}

/** Seconds by which two clocks may differ and still agree. */
const SAME_CLOCK = 5;
const signs = { passed: '●', failed: '✕', skipped: '–' };
