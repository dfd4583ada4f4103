import { Button, Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { ConflictChoice, PreviewView } from '../../ipc/bindings';
import { useImport } from './session';
import styles from './preview.module.css';

/** What is sent beside new and changed rows. Conflicts are decided about by a person; nothing where there is nothing to decide. */
export function PreviewChoices({ preview }: { preview: PreviewView }) {
  const { t } = useTranslation();
  const { choice, choosePreview } = useImport();
  const { same, conflict } = preview.counts;
  if (same === 0 && conflict === 0) return null;
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
    <div className={styles.choices}>
      {conflict > 0 && (
        <p className={styles.conflicts} data-testid="preview-conflicts">
          <span>{t('preview.conflicts', { count: conflict })}</span>
          {decide('leave-out', t('preview.leaveOut'))}
          {decide('send', t('preview.sendAnyway'))}
        </p>
      )}
      {same > 0 && (
        <Checkbox
          size="sm"
          checked={choice.sendSame}
          onChange={(event) => choosePreview({ ...choice, sendSame: event.currentTarget.checked })}
          label={t('preview.sendSame', { count: same })}
          data-testid="send-same"
        />
      )}
    </div>
  );
}
