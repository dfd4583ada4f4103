import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '@/base/preferences';
import type { Operation, Picture, PictureView } from '@/ipc/bindings';
import { againstLook, namesParts, partLooks } from './boards/barBoard';
import { alertLegend, planLegend, weekLegend } from './boards/boxStyles';
import { type Look, readColors } from './boards/colors';
import { type TextFormats, fieldName } from './itemText';
import styles from './pictures.module.css';

type Entry = { look: Look | null; text: string };
type Props = { operation: Operation; picture: Picture; by: number; view: PictureView; known: boolean; moved: boolean; say: TextFormats };

/** The legend of the looks. */
export function Legend(props: Props) {
  const { t } = useTranslation();
  return (
    <ul className={styles.legend} aria-label={t('picture.legend.title')}>
      {entries(props).map(({ look, text }) => (
        <li key={text}>
          {look && <Swatch look={look} />}
          {text}
        </li>
      ))}
    </ul>
  );
}

function entries({ operation, picture: { draw }, by, view, known, moved, say }: Props): Entry[] {
  const { drawn } = view;
  const { kind } = draw;
  if (drawn.shape === 'week') {
    const names = [...new Set(drawn.shiftName)].map((name) => drawn.names[name] ?? '');
    return weekLegend(names, say.t('picture.legend.stoppage'));
  }
  if (drawn.shape === 'spans') {
    const translate = (key: 'planned' | 'real' | 'running' | 'late' | 'overdue' | 'waiting' | 'moved' | 'off' | 'stoppage' | 'now' | 'open' | 'seen') => say.t(`picture.legend.${key}`);
    return kind === 'alerts' ? alertLegend(translate) : planLegend(translate, known, moved);
  }
  const looks = partLooks(drawn.measure === 'quantity' && kind === 'produced' ? 'produced' : 'spent');
  const partName = (name: string) => (drawn.fields ? fieldName(operation, name, say) : name || say.t('picture.none'));
  const stack = 'by' in draw ? (draw.by[by]?.stack ?? []) : [];
  const divided = { look: null, text: say.t('picture.legend.parts', { fields: stack.map((path) => fieldName(operation, path, say)).join(' · ') }) };
  const named = namesParts(drawn) ? drawn.names.map((name, at) => ({ look: looks[at] ?? againstLook, text: partName(name) })) : null;
  const parts = named ?? (stack.length > 0 ? [divided] : []);
  const against = drawn.againstFields.map((path) => ({ look: againstLook, text: fieldName(operation, path, say) }));
  return [...parts, ...against];
}

const SWATCH_SIZE = { width: 22, height: 12 };

function Swatch({ look }: { look: Look }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { shown } = usePreferences();
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (!pen) return;
    const ink = readColors(shown);
    const paint = ink.paint(look);
    pen.clearRect(0, 0, SWATCH_SIZE.width, SWATCH_SIZE.height);
    if (paint) {
      pen.fillStyle = typeof paint === 'string' ? paint : (pen.createPattern(paint.image, paint.repeat) ?? '');
      const tip = look.open ? 6 : 0;
      pen.fillRect(1, 1, SWATCH_SIZE.width - 2 - tip, SWATCH_SIZE.height - 2);
      pen.beginPath();
      pen.moveTo(SWATCH_SIZE.width - 1 - tip, 1);
      pen.lineTo(SWATCH_SIZE.width - 1, SWATCH_SIZE.height / 2);
      pen.lineTo(SWATCH_SIZE.width - 1 - tip, SWATCH_SIZE.height - 1);
      pen.fill();
    }
    if (!look.outline) return;
    pen.strokeStyle = ink.color(look.outline);
    // Soft fills look alike at this size, so they get a frame.
    pen.lineWidth = 2;
    pen.strokeRect(2, 2, SWATCH_SIZE.width - 4, SWATCH_SIZE.height - 4);
  }, [look, shown]);
  return <canvas ref={canvas} {...SWATCH_SIZE} aria-hidden />;
}
