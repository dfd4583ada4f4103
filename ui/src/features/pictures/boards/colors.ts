import type { Token } from '@/base/style/tokens';

/** How a box looks: a colour of the tokens, and what tells it apart without colour. */
export type Look = {
  /** Absent: only the outline. */
  fill?: Token;
  outline?: Token;
  pattern?: 'stripes' | 'dots';
  /** The pattern's token. */
  patternInk?: Token;
  /** Where in the row, from 0 (above) to 1. */
  top: number;
  bottom: number;
  /** Goes on beyond now: its end is an arrow's tip. */
  open?: boolean;
  /** DrawnPicture over all others and their labels. */
  over?: boolean;
  /** The token of a label on it; absent where it carries none. */
  text?: Token;
};

type Paint = string | { image: HTMLCanvasElement; repeat: 'repeat' };

/** The tokens as they are now: they follow light, dark and contrast. */
export type Colors = {
  /** The look whose tokens these are. */
  look: string;
  color: (token: Token) => string;
  paint: (look: Look) => Paint | undefined;
};

export function readColors(look: string): Colors {
  const style = getComputedStyle(document.documentElement);
  const color = (token: Token) => style.getPropertyValue(`--takt-${token}`).trim();
  const made = new Map<string, Paint>();
  const paint = ({ fill, pattern, patternInk }: Look) => {
    if (!fill) return undefined;
    if (!pattern) return color(fill);
    const key = `${fill} ${pattern} ${patternInk}`;
    const cached = made.get(key) ?? { image: tile(pattern, color(fill), color(patternInk ?? 'ground')), repeat: 'repeat' as const };
    made.set(key, cached);
    return cached;
  };
  return { look, color, paint };
}

const side = 8;

function tile(pattern: 'stripes' | 'dots', ground: string, ink: string): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = side;
  canvas.height = side;
  const pen = canvas.getContext('2d');
  if (!pen) return canvas;
  pen.fillStyle = ground;
  pen.fillRect(0, 0, side, side);
  pen.strokeStyle = ink;
  pen.fillStyle = ink;
  if (pattern === 'dots') {
    pen.fillRect(1, 1, 2, 2);
    pen.fillRect(5, 5, 2, 2);
    return canvas;
  }
  pen.lineWidth = 1.5;
  pen.beginPath();
  for (const shift of [-side, 0, side]) {
    pen.moveTo(shift, side);
    pen.lineTo(shift + side, 0);
  }
  pen.stroke();
  return canvas;
}
