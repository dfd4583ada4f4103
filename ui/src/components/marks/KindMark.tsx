import { useTranslation } from 'react-i18next';

import type { PreviewKind } from '@/ipc/bindings';
import styles from './kind.module.css';

/** The row kinds in display order. */
export const PREVIEW_KINDS: readonly PreviewKind[] = ['new', 'changed', 'same', 'notLinked', 'conflict', 'unknown', 'blocked'];

const KIND_SIGNS: Record<PreviewKind, string> = {
  new: '+',
  changed: '≠',
  same: '=',
  notLinked: '∅',
  conflict: '!',
  unknown: '?',
  blocked: '▲',
};

type Props = { kind: PreviewKind; /** Whether the operation deletes the items that it finds. */ deletes?: boolean };

/** A row's outcome as shape and color. */
export function KindSign({ kind, deletes = false }: Props) {
  return (
    <span className={styles.sign} data-kind={kind} aria-hidden>
      {deletes && kind === 'changed' ? '−' : KIND_SIGNS[kind]}
    </span>
  );
}

/** A row's outcome as sign and word. */
export function KindMark({ kind, deletes = false }: Props) {
  const { t } = useTranslation();
  return (
    <span className={styles.mark}>
      <KindSign kind={kind} deletes={deletes} />
      {t(deletes && kind === 'changed' ? 'preview.kind.deleted' : `preview.kind.${kind}`)}
    </span>
  );
}
