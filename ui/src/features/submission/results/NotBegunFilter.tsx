import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import type { SubmissionView } from '@/ipc/bindings';
import { useNotBegun } from './useLaterEvents';
import styles from '../common/submission.module.css';

type Props = { submission: SubmissionView; chosen: boolean; choose: (chosen: boolean) => void };

/** Accepted rows whose order hasn't begun since, as a filter. */
export function NotBegunFilter({ submission, chosen, choose }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const count = useNotBegun(submission);
  if (count === null) return null;
  return (
    <UnstyledButton
      className={styles.total}
      aria-pressed={chosen}
      title={t('after.notBegunHint')}
      onClick={() => choose(!chosen)}
      data-zero={count === 0}
      data-testid="filter-not-begun"
    >
      <b className="number">{number(count)}</b>
      <span>{t('after.notBegun')}</span>
    </UnstyledButton>
  );
}
