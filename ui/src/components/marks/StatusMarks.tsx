import { resultWord, severityWord } from '@/base/engineTexts';
import type { RowResult, Severity } from '@/ipc/bindings';
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

const SEVERITY_SIGNS: Record<Severity, string> = { error: '▲', warning: '◆', note: '■' };

export function ResultSign({ result }: { result: RowResult }) {
  return (
    <span className={styles.sign} data-result={result} aria-hidden>
      {RESULT_SIGNS[result]}
    </span>
  );
}

export function ResultMark({ result }: { result: RowResult }) {
  return (
    <span className={styles.mark}>
      <ResultSign result={result} />
      <span className={styles.word} data-result={result}>
        {resultWord(result)}
      </span>
    </span>
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
