import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { Names, Operation } from '@/ipc/bindings';
import { useOperations } from './appState';
import { formatsFor } from './formats';
import { usePreferences } from './preferences';

/** Formats a count with its noun: `34 orders`. The noun is `rows` if there is no operation or it has no noun. */
type CountLabel = (count: number, operation: string | null) => string;

/** Returns a function that formats counts with the contract's nouns. */
export function useCountLabel(): CountLabel {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const operations = useOperations();
  return useMemo(() => {
    const { number } = formatsFor(language);
    const rule = new Intl.PluralRules(language);
    return (count, operation) => {
      const noun = nounOf(operations, operation, rule.select(count) === 'one');
      return noun ? `${number(count)} ${noun[language] || noun.en}` : t('counted.rows', { count, number: number(count) });
    };
  }, [t, language, operations]);
}

function nounOf(operations: readonly Operation[], id: string | null, isSingular: boolean): Names | undefined {
  const nouns = operations.find((one) => one.id === id)?.nouns;
  return isSingular ? nouns?.one : nouns?.other;
}
