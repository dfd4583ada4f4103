import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { Names, Operation } from '@/ipc/bindings';
import { useOperations } from './appState';
import { formats } from './formats';
import { usePreferences } from './preferences';

/** A number of things by what they are: `34 orders`; rows where an operation has no word for them, or a row isn't one of them. */
type Nouns = (count: number, operation: string | null) => string;

/** Counts what operations send by the contract's own nouns. */
export function useNouns(): Nouns {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const operations = useOperations();
  return useMemo(() => {
    const { number } = formats(language);
    const rule = new Intl.PluralRules(language);
    return (count, operation) => {
      const noun = nounOf(operations, operation, rule.select(count) === 'one');
      return noun ? `${number(count)} ${noun[language] || noun.en}` : t('counted.rows', { count, number: number(count) });
    };
  }, [t, language, operations]);
}

function nounOf(operations: readonly Operation[], id: string | null, single: boolean): Names | undefined {
  const nouns = operations.find((one) => one.id === id)?.nouns;
  return single ? nouns?.one : nouns?.other;
}
