import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { Conflict } from './boards/conflicts';
import styles from './pictures.module.css';

const MAX_WARNINGS = 4;

/** Conflicts of moved bars, which don't prevent sending. `rows` describes the compared rows. */
export function MoveWarnings({ conflicts, rows }: { conflicts: readonly Conflict[]; rows: string }) {
  const { t } = useTranslation();
  if (conflicts.length === 0) return null;
  const more = conflicts.length - MAX_WARNINGS;
  return (
    <div className={styles.warnings} role="status" data-testid="picture-warnings">
      <ul>
        {conflicts.slice(0, MAX_WARNINGS).map((conflict) => (
          <li key={`${conflict.moved} ${conflict.kind} ${conflict.other}`}>
            <IconAlertTriangle size={14} aria-hidden />
            <span className="mono">{conflict.moved}</span> {t(`picture.conflict.${conflict.kind}`, conflict)}
          </li>
        ))}
      </ul>
      <span className="muted">
        {more > 0 && `${t('picture.line.more', { count: more })}. `}
        {t('picture.comparedWith', { rows })}
      </span>
    </div>
  );
}
