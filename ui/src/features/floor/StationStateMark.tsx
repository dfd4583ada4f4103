import { useTranslation } from 'react-i18next';

import { StatusPill, type Tone } from '@/components/marks/StatusPill';
import type { ShownState } from './stationStates';

const SIGNS: Record<ShownState, string> = { alarm: '▲', acknowledged: '✓', running: '▶', paused: '❚❚', begun: '◐', idle: '○', unknown: '?' };
const TONES: Record<ShownState, Tone> = { alarm: 'bad', acknowledged: 'quiet', running: 'good', paused: 'warning', begun: 'active', idle: 'quiet', unknown: 'quiet' };

type Props = {
  state: ShownState;
  /** Whether the state's color is omitted, such as next to a zero. */
  isMuted?: boolean;
  isLarge?: boolean;
};

/** A station's state as color, shape and word. */
export function StationStateMark({ state, isMuted = false, isLarge = false }: Props) {
  const { t } = useTranslation();
  return (
    <span data-state={state}>
      <StatusPill tone={isMuted ? 'quiet' : TONES[state]} sign={SIGNS[state]} isLarge={isLarge}>
        {t(`floorNow.state.${state}`)}
      </StatusPill>
    </span>
  );
}
