import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import type { Problem } from '@/ipc/bindings';

type Props = { problem: Problem; discard: () => void };

/** Stored moves that can't be read. They stay until you discard them. */
export function UnreadableMoves({ problem, discard }: Props) {
  const { t } = useTranslation();
  return (
    <section aria-label={t('picture.legend.moved')} data-testid="picture-moves-unreadable">
      <ProblemNote problem={problem} />
      {problem.code === 'journal-damaged' && problem.parameters['case'] === 'moved-bars' && (
        <Button size="compact-sm" variant="default" onClick={discard} data-testid="picture-discard">
          {t('picture.discard')}
        </Button>
      )}
    </section>
  );
}
