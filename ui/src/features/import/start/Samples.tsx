import { Button, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useOperations, useSamples } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { useImport } from '@/features/import-session';
import styles from './start.module.css';

/** Sample workbooks of the practice plant; at another site only the way there. */
export function Samples({ away }: { away: (() => void) | null }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const operations = useOperations();
  const samples = useSamples();
  const { sample, busy } = useImport();
  if (samples.length === 0) return null;
  if (away !== null) {
    return (
      <p className={styles.elsewhere}>
        {t('import.samplesElsewhere')}
        <Button size="compact-sm" variant="default" onClick={away} data-testid="samples-practice">
          {t('import.otherSite.back', { site: t('site.practice') })}
        </Button>
      </p>
    );
  }
  return (
    <section aria-labelledby="samples" data-tour="samples">
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
  );
}
