import { useTranslation } from 'react-i18next';

import type { StationState } from '@/ipc/bindings';
import styles from './floor.module.css';

const SIGNS: Record<StationState, string> = { alarm: '▲', running: '▶', paused: '❚❚', begun: '◐', idle: '○', unknown: '?' };

/** A station's state as color, shape and word. */
export function StationStateMark({ state, withLabel = true }: { state: StationState; withLabel?: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={styles.mark} data-state={state}>
      <span className={styles.sign} aria-hidden>
        {SIGNS[state]}
      </span>
      <span className={withLabel ? undefined : 'hidden'}>{t(`floorNow.state.${state}`)}</span>
    </span>
  );
}
