import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import styles from './send.module.css';

type Props = {
  size: number | null;
  usual: number | null;
  setSize: (size: number | null) => void;
};

/** What is seldom needed: how many go in one request. */
export function Advanced({ size, usual, setSize }: Props) {
  const { t } = useTranslation();
  return (
    <details className={styles.advanced} data-testid="send-advanced">
      <summary>{t('send.advanced')}</summary>
      <div className={styles.size}>
        <label htmlFor="batch-size">{t('send.batchSize')}</label>
        <NumberInput
          id="batch-size"
          value={size ?? usual ?? ''}
          onChange={(value) => setSize(typeof value === 'number' && value >= 1 ? value : null)}
          min={1}
          max={10_000}
          allowDecimal={false}
          w={96}
          size="xs"
          data-testid="batch-size"
        />
        <span className="muted small" data-testid="batch-hint">
          {t('send.batchHint')}
        </span>
      </div>
    </details>
  );
}
