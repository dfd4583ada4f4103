import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useCopy } from './useCopy';

type Props = { value: string; label: string; wide?: boolean };

/** Copies a text and confirms that for a short time. */
export function CopyButton({ value, label, wide = false }: Props) {
  const { t } = useTranslation();
  const clipboard = useCopy();
  const icon = clipboard.copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  const text = clipboard.copied ? t('common.copied') : label;
  if (wide) {
    return (
      <Button variant="default" size="xs" leftSection={icon} onClick={() => void clipboard.copy(value)}>
        {text}
      </Button>
    );
  }
  return (
    <Tooltip label={text}>
      <ActionIcon variant="subtle" color="petrol" size="sm" aria-label={text} onClick={() => void clipboard.copy(value)}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}
