import type { Token } from '@/base/style/tokens';

/** The look of a box: a color token, and shapes that distinguish it without color. */
export type Look = {
  /** The fill's color token. Undefined for a box with only an outline. */
  fill?: Token;
  outline?: Token;
  pattern?: 'stripes' | 'dots';
  /** The color token of the pattern. */
  patternInk?: Token;
  /** The box's upper edge in its row, from 0 (top) to 1 (bottom). */
  top: number;
  /** The box's lower edge in its row. */
  bottom: number;
  /** Whether the box continues after now. It is drawn with an arrow tip. */
  open?: boolean;
  /** Whether the box is drawn above all other boxes and labels. */
  over?: boolean;
  /** The color token of the box's label, undefined if it has no label. */
  text?: Token;
};

type Paint = string | { image: HTMLCanvasElement; repeat: 'repeat' };

/** The current values of the tokens, which depend on the color scheme. */
export type Colors = {
  /** The color scheme in use. */
  look: string;
  color: (token: Token) => string;
  paint: (look: Look) => Paint | undefined;
};

export function readColors(look: string): Colors {
  const style = getComputedStyle(document.documentElement);
  const color = (token: Token) => style.getPropertyValue(`--takt-${token}`).trim();
  const cache = new Map<string, Paint>();
  const paint = ({ fill, pattern, patternInk }: Look) => {
    if (!fill) return undefined;
    if (!pattern) return color(fill);
    const key = `${fill} ${pattern} ${patternInk}`;
    const cached = cache.get(key) ?? { image: drawTile(pattern, color(fill), color(patternInk ?? 'ground')), repeat: 'repeat' as const };
    cache.set(key, cached);
    return cached;
  };
  return { look, color, paint };
}

const TILE_SIZE = 8;

function drawTile(pattern: 'stripes' | 'dots', ground: string, ink: string): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = TILE_SIZE;
  canvas.height = TILE_SIZE;
  const pen = canvas.getContext('2d');
  if (!pen) return canvas;
  pen.fillStyle = ground;
  pen.fillRect(0, 0, TILE_SIZE, TILE_SIZE);
  pen.strokeStyle = ink;
  pen.fillStyle = ink;
  if (pattern === 'dots') {
    pen.fillRect(1, 1, 2, 2);
    pen.fillRect(5, 5, 2, 2);
    return canvas;
  }
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const shift of [-TILE_SIZE, 0, TILE_SIZE]) {
    pen.moveTo(shift, TILE_SIZE);
    pen.lineTo(shift + TILE_SIZE, 0);
  }
  pen.stroke();
  return canvas;
}
