import { Input, SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { MomentInput } from '@/components/controls/MomentInput';
import { type Draft, START_OPTIONS } from './targetDraft';

type Props = { draft: Draft; change: (some: Partial<Draft>) => void };

/** Selects the first event for a new target. */
export function StartFields({ draft, change }: Props) {
  const { t } = useTranslation();
  return (
    <>
      <Input.Wrapper label={t('forwarding.form.start')} labelElement="div">
        <SegmentedControl
          size="xs"
          fullWidth
          aria-label={t('forwarding.form.start')}
          data={START_OPTIONS.map((value) => ({ value, label: t(`forwarding.form.${value}`) }))}
          value={draft.start}
          onChange={(value) => change({ start: START_OPTIONS.find((start) => start === value) ?? 'now' })}
          data-testid="forward-start"
        />
      </Input.Wrapper>
      {draft.start === 'since' && (
        <MomentInput label={t('forwarding.form.sinceWhen')} moment={draft.since} change={(since) => change({ since })} testId="forward-since" />
      )}
    </>
  );
}
