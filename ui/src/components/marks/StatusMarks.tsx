import { resultWord, severityWord } from '@/base/engineTexts';
import type { RowResult, Severity } from '@/ipc/bindings';
import { StatusPill, type Tone } from './StatusPill';
import styles from './marks.module.css';

/** Signs for row results, so that color isn't the only difference. */
export const RESULT_SIGNS: Record<RowResult, string> = {
  accepted: '●',
  rejected: '✕',
  unconfirmed: '?',
  pending: '○',
  sending: '◐',
  skipped: '–',
};

const RESULT_TONES: Record<RowResult, Tone> = {
  accepted: 'good',
  rejected: 'bad',
  unconfirmed: 'warning',
  pending: 'quiet',
  sending: 'active',
  skipped: 'quiet',
};

const SEVERITY_SIGNS: Record<Severity, string> = { error: '▲', warning: '◆', note: '■' };

export function ResultSign({ result }: { result: RowResult }) {
  return (
    <span className={styles.sign} data-result={result} aria-hidden>
      {RESULT_SIGNS[result]}
    </span>
  );
}

/** A row's result, with its word. */
export function ResultMark({ result }: { result: RowResult }) {
  return (
    <StatusPill tone={RESULT_TONES[result]} sign={RESULT_SIGNS[result]}>
      {resultWord(result)}
    </StatusPill>
  );
}

export function SeveritySign({ severity, withLabel = false }: { severity: Severity; withLabel?: boolean }) {
  return (
    <>
      <span className={styles.sign} data-severity={severity} aria-hidden>
        {SEVERITY_SIGNS[severity]}
      </span>
      {withLabel && <span className="hidden">{severityWord(severity)}</span>}
    </>
  );
}
