import { Button, Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import type { ConflictChoice, PreviewView } from '@/ipc/bindings';
import { uncheckedDeletes } from './previewKinds';
import styles from './preview.module.css';

/** Offers to send rows without changes, and deletes of missing items. */
export function SameChoice({ preview }: { preview: PreviewView }) {
  const { t } = useTranslation();
  const { choice, choosePreview } = useImport();
  const { same, notLinked } = preview.counts;
  if (same + notLinked === 0) return null;
  return (
    <Checkbox
      className={styles.same}
      size="sm"
      checked={choice.sendSame}
      onChange={(event) => choosePreview({ ...choice, sendSame: event.currentTarget.checked })}
      label={notLinked > 0 ? t('preview.sendNotLinked', { count: notLinked }) : t('preview.sendSame', { count: same })}
      data-testid="send-same"
    />
  );
}

/** Offers to send deletes that couldn't be compared, which can't be undone. */
export function UncheckedChoice({ preview }: { preview: PreviewView }) {
  const { t } = useTranslation();
  const { choice, choosePreview } = useImport();
  const count = uncheckedDeletes(preview.steps);
  if (count === 0) return null;
  return (
    <Checkbox
      className={styles.same}
      size="sm"
      checked={choice.sendUnchecked ?? false}
      onChange={(event) => choosePreview({ ...choice, sendUnchecked: event.currentTarget.checked })}
      label={t('preview.sendUnchecked', { count })}
      data-testid="send-unchecked"
    />
  );
}

/** Asks for a decision on conflicts. Hidden if there are none. */
export function Conflicts({ preview }: { preview: PreviewView }) {
  const { t } = useTranslation();
  const { choice, choosePreview } = useImport();
  const { conflict } = preview.counts;
  if (conflict === 0) return null;
  const decide = (conflicts: ConflictChoice, word: string) => (
    <Button
      size="compact-sm"
      variant={choice.conflicts === conflicts ? 'filled' : 'default'}
      aria-pressed={choice.conflicts === conflicts}
      onClick={() => choosePreview({ ...choice, conflicts: choice.conflicts === conflicts ? 'stop' : conflicts })}
      data-testid={`conflicts-${conflicts}`}
    >
      {word}
    </Button>
  );
  return (
    <p className={styles.conflicts} data-testid="preview-conflicts">
      <span>{t('preview.conflicts', { count: conflict })}</span>
      {decide('skip', t('preview.skip'))}
      {decide('send', t('preview.sendAnyway'))}
    </p>
  );
}
