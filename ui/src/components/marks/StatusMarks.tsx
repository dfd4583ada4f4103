import { fateWord, severityWord } from '@/base/engineWords';
import type { Fate, Severity } from '@/ipc/bindings';
import styles from './marks.module.css';

/** The same sign everywhere: colour, shape and word. */
export const fateSigns: Record<Fate, string> = {
  accepted: '●',
  rejected: '✕',
  inDoubt: '?',
  pending: '○',
  sending: '◐',
  skipped: '–',
};

const severitySigns: Record<Severity, string> = { error: '▲', warning: '◆', note: '■' };

export function FateSign({ fate }: { fate: Fate }) {
  return (
    <span className={styles.sign} data-fate={fate} aria-hidden>
      {fateSigns[fate]}
    </span>
  );
}

export function FateMark({ fate }: { fate: Fate }) {
  return (
    <span className={styles.mark}>
      <FateSign fate={fate} />
      <span className={styles.word} data-fate={fate}>
        {fateWord(fate)}
      </span>
    </span>
  );
}

export function SeveritySign({ severity, named = false }: { severity: Severity; named?: boolean }) {
  return (
    <>
      <span className={styles.sign} data-severity={severity} aria-hidden>
        {severitySigns[severity]}
      </span>
      {named && <span className="hidden">{severityWord(severity)}</span>}
    </>
  );
}
