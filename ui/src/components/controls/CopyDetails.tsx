import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { type Problem, commands } from '@/ipc/bindings';

/** Copies what went wrong, with the newest lines of the logs, for whoever helps. */
export function CopyDetails({ problem }: { problem: Problem }) {
  const { t } = useTranslation();
  const clipboard = useClipboard({ timeout: 2000 });
  const icon = clipboard.copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  const copy = async () => {
    // Where the logs can't be read, the rest is worth copying all the same.
    const log = await commands.logTail().catch(() => '');
    const parts = [`${problem.code}: ${problem.message}`, ...problem.reasons, problem.logId, problem.details, log];
    clipboard.copy(parts.filter(Boolean).join('\n\n'));
  };
  return (
    <Button variant="default" size="xs" leftSection={icon} onClick={() => void copy()} data-testid="copy-details">
      {clipboard.copied ? t('common.copied') : t('problem.copyDetails')}
    </Button>
  );
}
