import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useCopy } from './useCopy';

/** Copies a link that opens this page in a colleague's Takt. `link` creates it. */
export function CopyLinkButton({ link }: { link: () => Promise<string> }) {
  const { t } = useTranslation();
  const clipboard = useCopy();
  const text = clipboard.copied ? t('common.linkCopied') : t('common.copyLink');
  return (
    <Tooltip label={text}>
      <ActionIcon variant="default" size={36} aria-label={text} onClick={() => void clipboard.copy(link())} data-testid="copy-link">
        {clipboard.copied ? <IconCheck size={16} aria-hidden /> : <IconLink size={16} aria-hidden />}
      </ActionIcon>
    </Tooltip>
  );
}
