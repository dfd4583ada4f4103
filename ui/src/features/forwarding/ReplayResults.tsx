import { Progress } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { ReplayState } from './useReplay';
import styles from './forwarding.module.css';

/** How far a replay is, and what became of those that weren't taken. */
export function ReplayResults({ state, total }: { state: ReplayState; total: number }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { done, taken, refused } = state;
  return (
    <div role="status" data-testid="replay-results">
      <Progress value={total === 0 ? 0 : (100 * done) / total} aria-label={t('replay.title')} />
      <p>{t('replay.done', { count: taken, shown: number(taken), done: number(done), total: number(total) })}</p>
      {refused.length > 0 && (
        <ul className={styles.results} tabIndex={0}>
          {refused.map(({ event, status, told }) => (
            <li key={event} data-taken="false">
              {t('replay.refused', { event, status: status ?? '–' })} <span className="mono">{told}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
