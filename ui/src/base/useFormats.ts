import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { Names, Operation } from '@/ipc/bindings';
import { type Formats, durationText, formatsFor } from './formats';
import { usePreferences } from './preferences';

type WindowFormats = Formats & {
  /** Formats seconds as `1 h 05 min`. */
  duration: (seconds: number) => string;
  /** The contract's name of an item, in the window's language. */
  name: (thing: { names: Names }) => string;
};

/** Returns formatters for numbers, times and contract names in the window's language. */
export function useFormats(): WindowFormats {
  const { language } = usePreferences();
  const { t } = useTranslation();
  return useMemo(
    () => ({
      ...formatsFor(language),
      duration: (seconds: number) => durationText(seconds, t),
      name: (thing: { names: Names }) => thing.names[language] || thing.names.en,
    }),
    [language, t],
  );
}

/** Returns the contract's name of an operation, or its ID if the contract lacks it. */
export function operationName(operations: readonly Operation[], id: string, name: WindowFormats['name']): string {
  const operation = operations.find((one) => one.id === id);
  return operation ? name(operation) : id;
}
