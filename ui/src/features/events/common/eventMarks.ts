import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';

import type { EventLine } from '@/ipc/bindings';

/** A mark on an event that needs attention: sign, word and tone. */
export type EventMark = { id: string; sign: string; word: string; tone: 'bad' | 'doubt' | 'note' | 'good' };

/** Returns an event's marks, worst first. */
export function useEventMarks(): (line: EventLine) => EventMark[] {
  const { t } = useTranslation();
  return useCallback(
    ({ state, signed, replay, copies, allowed, answeredBy }) => {
      const marks: EventMark[] = [];
      const mark = (id: string, sign: string, tone: EventMark['tone'], word: string) => marks.push({ id, sign, tone, word });
      if (state === 'malformed') mark('state', '✕', 'bad', t('inbox.marks.malformed'));
      if (signed !== 'unchecked' && signed !== 'valid') mark('signed', '✕', 'bad', t(`inbox.marks.${signed}`));
      if (state === 'unknown') mark('state', '?', 'doubt', t('inbox.marks.unknown'));
      if (state === 'odd') mark('state', '◆', 'doubt', t('inbox.marks.odd'));
      if (allowed !== null) {
        const word = t(allowed ? 'inbox.marks.allowed' : 'inbox.marks.refused');
        const sourceText = answeredBy !== null && answeredBy !== 'rule' ? ` · ${t(`answers.by.${answeredBy}`)}` : '';
        const uncertain = answeredBy === 'failure' || answeredBy === 'slow';
        mark('answer', allowed ? '✓' : '✕', uncertain ? 'doubt' : allowed ? 'good' : 'bad', word + sourceText);
      }
      if (replay) mark('replay', '↻', 'note', t('inbox.marks.replay'));
      if (copies > 0) mark('copies', '×', 'note', t('inbox.marks.copies', { count: copies + 1 }));
      return marks;
    },
    [t],
  );
}
