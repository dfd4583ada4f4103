import { useTranslation } from 'react-i18next';

import type { PreviewKind } from '@/ipc/bindings';
import styles from './kind.module.css';

/** In the order in which a planner asks. */
export const kinds: readonly PreviewKind[] = ['new', 'changed', 'same', 'notLinked', 'conflict', 'unknown', 'blocked'];

const signs: Record<PreviewKind, string> = {
  new: '+',
  changed: '≠',
  same: '=',
  notLinked: '∅',
  conflict: '!',
  unknown: '?',
  blocked: '▲',
};

/** What becomes of a row, as shape and colour. */
export function KindSign({ kind }: { kind: PreviewKind }) {
  return (
    <span className={styles.sign} data-kind={kind} aria-hidden>
      {signs[kind]}
    </span>
  );
}

/** The same with its word. */
export function KindMark({ kind }: { kind: PreviewKind }) {
  const { t } = useTranslation();
  return (
    <span className={styles.mark}>
      <KindSign kind={kind} />
      {t(`preview.kind.${kind}`)}
    </span>
  );
}
