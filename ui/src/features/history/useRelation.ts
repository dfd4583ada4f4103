import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

import type { SubmissionView } from '@/ipc/bindings';

type RelatedSubmission = Pick<SubmissionView, 'follows' | 'relation'>;

/** Returns a function that describes a submission's relation to an earlier one. The text is empty if there is none. */
export function useRelation(): (submission: RelatedSubmission) => string {
  const { t } = useTranslation();
  return useCallback(
    ({ follows, relation }) => (follows !== null && relation !== null ? t(`history.follows.${relation}`, { id: follows }) : ''),
    [t],
  );
}
