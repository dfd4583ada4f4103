import { useTranslation } from 'react-i18next';

import type { Shown } from './useFloor';
import styles from './floor.module.css';

const signs: Record<Shown, string> = { alarm: '▲', running: '▶', paused: '❚❚', begun: '◐', idle: '○', unknown: '?', unheard: '–' };

/** What a station does, as colour, shape and word. */
export function FloorMark({ state, word = true }: { state: Shown; word?: boolean }) {
  const { t } = useTranslation();
  return (
    <span className={styles.mark} data-state={state}>
      <span className={styles.sign} aria-hidden>
        {signs[state]}
      </span>
      <span className={word ? undefined : 'hidden'}>{t(`floorNow.state.${state}`)}</span>
    </span>
  );
}
