import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

import type { SubmissionView } from '@/ipc/bindings';

type Following = Pick<SubmissionView, 'follows' | 'relation'>;

/** Describes what a submission follows from, empty if nothing. */
export function useRelation(): (submission: Following) => string {
  const { t } = useTranslation();
  return useCallback(
    ({ follows, relation }) => (follows !== null && relation !== null ? t(`history.follows.${relation}`, { id: follows }) : ''),
    [t],
  );
}
