import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import styles from '@/components/controls/moments.module.css';
import type { NamedSpan } from '@/ipc/bindings';
import { QUICK_SPANS } from './parameters';

type Props = { spans: readonly NamedSpan[]; chosen: string | null; choose: (name: string | null) => void };

/** Toggle buttons for the site's named time spans. */
export function SpanButtons({ spans, chosen, choose }: Props) {
  const { t } = useTranslation();
  const { serviceTime } = useFormats();
  const namedSpans = QUICK_SPANS.flatMap((name) => spans.filter((one) => one.name === name).map((span) => ({ name, span })));
  if (namedSpans.length === 0) return null;
  return (
    <fieldset className={styles.spans} aria-label={t('filters.spans')}>
      {namedSpans.map(({ name, span }) => (
        <UnstyledButton
          key={name}
          className={styles.span}
          aria-pressed={chosen === name}
          title={`${serviceTime(span.begin)} – ${serviceTime(span.end)}`}
          onClick={() => choose(chosen === name ? null : name)}
          data-testid={`span-${name}`}
        >
          {t(`filters.span.${name}`)}
        </UnstyledButton>
      ))}
    </fieldset>
  );
}
