import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

import type { EventLine } from '../../ipc/bindings';

/** Something about an event that isn't as with most: a sign, a word, and how much it matters. */
export type EventMark = { id: string; sign: string; word: string; tone: 'bad' | 'doubt' | 'note' | 'good' };

/** What is to be noticed about an event, the worst first. */
export function useMarks(): (line: EventLine) => EventMark[] {
  const { t } = useTranslation();
  return useCallback(
    ({ state, signed, replay, copies, allowed }) => {
      const marks: EventMark[] = [];
      const mark = (id: string, sign: string, tone: EventMark['tone'], word: string) => marks.push({ id, sign, tone, word });
      if (state === 'malformed') mark('state', '✕', 'bad', t('inbox.marks.malformed'));
      if (signed !== 'unchecked' && signed !== 'valid') mark('signed', '✕', 'bad', t(`inbox.marks.${signed}`));
      if (state === 'unknown') mark('state', '?', 'doubt', t('inbox.marks.unknown'));
      if (state === 'odd') mark('state', '◆', 'doubt', t('inbox.marks.odd'));
      if (allowed !== null) mark('answer', allowed ? '✓' : '✕', allowed ? 'good' : 'bad', t(allowed ? 'inbox.marks.allowed' : 'inbox.marks.refused'));
      if (replay) mark('replay', '↻', 'note', t('inbox.marks.replay'));
      if (copies > 0) mark('copies', '×', 'note', t('inbox.marks.copies', { count: copies + 1 }));
      return marks;
    },
    [t],
  );
}
