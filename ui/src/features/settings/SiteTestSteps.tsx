import { useTranslation } from 'react-i18next';

import { ProblemNote } from '../../components/ProblemNote';
import type { SiteTest } from '../../ipc/bindings';
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
      </ul>
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

const signs = { passed: '●', failed: '✕', skipped: '–' };
