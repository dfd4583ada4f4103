import { Button, UnstyledButton } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useOperations, useSamples } from '../../app/state';
import { operationName, useFormats } from '../../app/useFormats';
import { PageFrame } from '../../components/PageFrame';
import { ProblemNote } from '../../components/ProblemNote';
import { BlankMenu } from './BlankMenu';
import { useImport } from './session';
import styles from './home.module.css';

/** The first thing that a planner meets: drop a workbook, open one, or try a sample. */
export function Home() {
  const { t } = useTranslation();
  const { name } = useFormats();
  const operations = useOperations();
  const samples = useSamples();
  const { pick, sample, busy, problem } = useImport();
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
            <ul className={styles.samples}>
              {samples.map((one) => (
                <li key={one.operation}>
                  <UnstyledButton
                    className={styles.sample}
                    onClick={() => void sample(one.operation)}
                    disabled={busy}
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
