import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useNavigation } from '@/base/navigation';

type Props = { operation: string; parameters: { [name: string]: string }; find?: string };

/** A link that opens the same rows on the list page. */
export function ListLink({ operation, parameters, find }: Props) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  return (
    <Button
      variant="subtle"
      size="compact-xs"
      onClick={() => go({ page: 'browse', operation, parameters, find })}
      data-testid={`order-open-${operation}`}
    >
      {t('order.asList')}
    </Button>
  );
}
