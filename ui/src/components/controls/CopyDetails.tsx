import { Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { type Problem, commands } from '@/ipc/bindings';
import { useCopy } from './useCopy';

/** Copies a problem and the newest log lines for support. */
export function CopyDetails({ problem }: { problem: Problem }) {
  const { t } = useTranslation();
  const clipboard = useCopy();
  const icon = clipboard.copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  const copy = async () => {
    // If the logs can't be read, the rest is still copied.
    const log = await commands.logTail().catch(() => '');
    const parts = [`${problem.code}: ${problem.message}`, ...problem.reasons, problem.logId, problem.details, log];
    await clipboard.copy(parts.filter(Boolean).join('\n\n'));
  };
  return (
    <Button variant="default" size="xs" leftSection={icon} onClick={() => void copy()} data-testid="copy-details">
      {clipboard.copied ? t('common.copied') : t('problem.copyDetails')}
    </Button>
  );
}
