import { Button, UnstyledButton } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useAppState, useOperations, useSamples, useSite } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { PageFrame } from '@/components/page/PageFrame';
import { useImport } from '@/features/import-session';
import { commands } from '@/ipc/bindings';
import { BlankMenu } from './BlankMenu';
import styles from './start.module.css';

/** The first thing that a planner meets: drop a workbook, open one, or try a sample. */
export function StartPage() {
  const { t } = useTranslation();
  const { name } = useFormats();
  const operations = useOperations();
  const samples = useSamples();
  const { pick, sample, busy, problem } = useImport();
  const practice = usePractice();
  return (
    <PageFrame title={t('import.title')}>
      <div className={styles.home}>
        {problem && <ProblemNote problem={problem} />}
        <section className={styles.drop} aria-label={t('import.drop')} aria-busy={busy}>
          <IconFileSpreadsheet size={40} stroke={1.2} aria-hidden />
          <p className={styles.lead}>{t('import.drop')}</p>
          <Button size="md" onClick={() => void pick()} disabled={busy} data-testid="import-open">
            {t('import.open')}
          </Button>
          <p className="muted small">{t('import.kinds')}</p>
          <BlankMenu />
        </section>
        {samples.length > 0 && (
          <section aria-labelledby="samples">
            <h2 id="samples">{t('import.samples')}</h2>
            {practice.name !== null && (
              <p className={styles.elsewhere}>
                {t('import.samplesElsewhere')}
                <Button size="compact-sm" variant="default" onClick={practice.choose} data-testid="samples-practice">
                  {t('import.otherSite.back', { site: t('site.practice') })}
                </Button>
              </p>
            )}
            <ul className={styles.samples}>
              {samples.map((one) => (
                <li key={one.operation}>
                  <UnstyledButton
                    className={styles.sample}
                    onClick={() => void sample(one.operation)}
                    disabled={busy || practice.name !== null}
                    data-testid={`sample-${one.operation}`}
                  >
                    {operationName(operations, one.operation, name)}
                  </UnstyledButton>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </PageFrame>
  );
}

/** The practice plant, where the window is at another site: samples belong to it alone. */
function usePractice(): { name: string | null; choose: () => void } {
  const site = useSite();
  const { data } = useAppState();
  const practice = data?.sites.find((one) => one.site.kind === 'practice')?.site.name ?? null;
  const name = site === undefined || site.site.kind === 'practice' ? null : practice;
  return { name, choose: () => void (name !== null && commands.siteChoose(name).catch(showProblemNotice)) };
}
