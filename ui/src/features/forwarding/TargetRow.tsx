import { useTranslation } from 'react-i18next';

import { faultText, targetStateWord } from '@/base/engineTexts';
import { useFormats } from '@/base/useFormats';
import { StatusPill, type Tone } from '@/components/marks/StatusPill';
import type { ForwardTarget, TargetState } from '@/ipc/bindings';
import styles from './forwarding.module.css';

type Props = { target: ForwardTarget; chosen: boolean; open: () => void };

const SIGNS: Record<TargetState, string> = { 'up-to-date': '●', waiting: '◐', failing: '▲', refusing: '✕', unencrypted: '▲', stopped: '✕', paused: '–' };

const TONES: Record<TargetState, Tone> = { 'up-to-date': 'good', waiting: 'active', failing: 'bad', refusing: 'bad', unencrypted: 'bad', stopped: 'bad', paused: 'quiet' };

/** A target in the list: name, state and queue. */
export function TargetRow({ target, chosen, open }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { name, address, state, waiting, aside, miss } = target;
  return (
    <li>
      <button
        type="button"
        className={styles.target}
        aria-pressed={chosen}
        onClick={open}
        data-testid={`forward-target-${name}`}
        data-state={state}
      >
        <span className={styles.name}>{name}</span>
        <span>
          <TargetStateMark state={state} />
        </span>
        <span className={styles.counts}>
          {waiting > 0 && <span>{t('forwarding.waiting', { count: waiting, shown: number(waiting) })}</span>}
          {aside > 0 && <span data-state="refusing">{t('forwarding.aside', { count: aside, shown: number(aside) })}</span>}
        </span>
        <code className={styles.address}>{address}</code>
        {miss && state !== 'paused' && <span className={styles.why}>{faultText(miss.fault, miss.status)}</span>}
      </button>
    </li>
  );
}

export function TargetStateMark({ state }: { state: TargetState }) {
  return (
    <StatusPill tone={TONES[state]} sign={SIGNS[state]}>
      {targetStateWord(state)}
    </StatusPill>
  );
}
