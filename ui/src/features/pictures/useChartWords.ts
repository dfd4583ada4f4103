import { useMemo } from 'react';

import { useFormats } from '@/base/useFormats';
import type { Board } from './boards/board';
import type { Wording } from './chart/chartOption';
import { type TextFormats, moment } from './itemText';

const day = 24 * 3_600_000;

/** The chart's own words: what it is, and its axis. */
export function useChartWords(board: Board | null, label: string, say: TextFormats): Wording {
  const { date } = useFormats();
  const lanes = board?.lanes.length ?? 0;
  const items = board?.items.length ?? 0;
  const from = board?.axis === 'time' ? moment(board.ends.from, say) : '';
  const to = board?.axis === 'time' ? moment(board.ends.to, say) : '';
  const duration = board?.axis === 'duration';
  return useMemo(() => {
    const span = from ? say.t('picture.described.time', { from, to }) : '';
    return {
      description: [say.t('picture.described.what', { label, lanes }), say.t('picture.described.items', { count: items }), span].filter(Boolean).join(' '),
      value: (value) => (duration ? say.duration(value) : say.number(value)),
      tick: (at) => (at % day === 0 ? date(at) : new Date(at).toISOString().slice(11, 16)),
    };
  }, [label, lanes, items, from, to, duration, say, date]);
}
