import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { SubmissionView } from '@/ipc/bindings';
import { useNotBegun } from './useLaterEvents';
import styles from './results.module.css';

type Props = { submission: SubmissionView; chosen: boolean; choose: (chosen: boolean) => void };

/** Filter for accepted rows whose order hasn't started since. Its tone is neutral, because that is normal after sending. */
export function NotBegunFilter({ submission, chosen, choose }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const count = useNotBegun(submission);
  if (!count && !chosen) return null;
  return (
    <UnstyledButton
      className={styles.note}
      aria-pressed={chosen}
      title={t('after.notBegunHint')}
      onClick={() => choose(!chosen)}
      data-testid="filter-not-begun"
    >
      <span className="number">{number(count ?? 0)}</span> {t('after.notBegun')}
    </UnstyledButton>
  );
}
