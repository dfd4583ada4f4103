import { Button } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

export function BackButton({ back }: { back: () => void }) {
  const { t } = useTranslation();
  return (
    <Button variant="default" leftSection={<IconArrowLeft size={16} aria-hidden />} onClick={back} data-testid="back">
      {t('templates.back')}
    </Button>
  );
}
