import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { problemTitle } from '@/base/engineWords';
import { useFormats } from '@/base/useFormats';
import type { SchemaReading } from './common/useSchema';

/** Which schema it is, from when, and reading it again. */
export function SchemaLine({ reading }: { reading: SchemaReading }) {
  const { t } = useTranslation();
  const { moment, number } = useFormats();
  const { at, types, silent, reasons, problem, busy, again } = reading;
  const text = silent
    ? t('graphql.noSchema', { at: moment(at ?? '') })
    : at && t('graphql.schema', { types: number(types), at: moment(at) });
  return (
    <>
      <span data-testid="graphql-schema" title={reasons.join('\n') || undefined}>
        {text}
        {silent && reasons[0] && ` ${t('graphql.noSchemaWhy', { reason: reasons[0] })}`}
      </span>
      {problem && (
        <span role="alert" data-testid="graphql-schema-problem">
          {problemTitle(problem)}
        </span>
      )}
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconRefresh size={14} aria-hidden />}
        onClick={again}
        loading={busy}
        data-testid="graphql-schema-again"
      >
        {t('graphql.again')}
      </Button>
    </>
  );
}
