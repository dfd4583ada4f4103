import type { TFunction } from 'i18next';

import type { Field, Operation, PictureView } from '@/ipc/bindings';
import type { Board } from './boards/board';
import type { MovedTimes } from './boards/planBoard';

export type TextFormats = {
  t: TFunction;
  number: (value: number) => string;
  duration: (seconds: number) => string;
  serviceTime: (text: string) => string;
  /** Formats wall time given as if it were UTC. */
  weekday: (wall: number) => string;
  name: (thing: Field) => string;
};

/** Formats the site's local time as the service does. */
export function formatWallTime(wall: number): string {
  return new Date(wall).toISOString().slice(0, 19);
}

export function formatDateTime(wall: number, { serviceTime }: TextFormats): string {
  return serviceTime(formatWallTime(wall).slice(0, 16));
}

/** Returns the display name of the field at a path. */
export function fieldName(operation: Operation, path: string, say: TextFormats): string {
  let fields = operation.answer?.fields ?? [];
  let field: Field | undefined;
  for (const part of path.split('.')) {
    field = fields.find((one) => one.name === part);
    fields = field?.fields ?? [];
  }
  return field ? say.name(field) || path : path;
}

export function valueText(view: PictureView, value: number, say: TextFormats): string {
  return view.drawn.shape === 'bars' && view.drawn.measure === 'seconds' ? say.duration(value) : say.number(value);
}

const MAX_LISTED_PARTS = 8;

/** Describes an item line by line. The first line is its name. */
export function itemLines(operation: Operation, view: PictureView, board: Board, moves: ReadonlyMap<number, MovedTimes>, at: number, say: TextFormats): string[] {
  const item = board.items[at];
  if (!item) return [];
  const { drawn } = view;
  if (drawn.shape === 'bars') return barLines(operation, view, at, say);
  const lane = board.lanes[item.lane]?.name ?? '';
  if (drawn.shape === 'week') return [item.label, lane, formatTimeSpan(item.begin, item.end, say)];
  const move = moves.get(item.rows[0] ?? -1);
  const lines = [item.label, lane];
  const plan = operation.pictures.some(({ draw }) => draw.kind === 'plan');
  const first = rangeText(drawn.firstBegin[at], drawn.firstEnd[at], say);
  const second = rangeText(drawn.secondBegin[at], drawn.secondEnd[at], say);
  if (move) lines.push(say.t('picture.line.moved', { span: formatTimeSpan(move.begin, move.end, say) }));
  if (first) lines.push(say.t(plan ? 'picture.line.planned' : 'picture.line.open', { span: first }));
  if (second) lines.push(say.t(plan ? 'picture.line.real' : 'picture.line.seen', { span: second }));
  const status = drawn.statuses[drawn.status[at] ?? -1];
  return [...lines, [status, item.word].filter(Boolean).join(' · ')].filter(Boolean);
}

function barLines(operation: Operation, view: PictureView, bar: number, say: TextFormats): string[] {
  const { drawn } = view;
  if (drawn.shape !== 'bars') return [];
  const unit = drawn.units[bar] ? ` ${drawn.units[bar]}` : '';
  const value = (amount: number) => `${valueText(view, amount, say)}${unit}`;
  const parts: string[] = [];
  let sum = 0;
  drawn.partOf.forEach((of, at) => {
    if (of !== bar) return;
    sum += drawn.partValue[at] ?? 0;
    const name = drawn.names[drawn.partName[at] ?? -1] ?? '';
    parts.push(`${(drawn.fields ? fieldName(operation, name, say) : name) || say.t('picture.none')}: ${value(drawn.partValue[at] ?? 0)}`);
  });
  const lines = [drawn.labels[bar] || say.t('picture.none'), ...parts.slice(0, MAX_LISTED_PARTS)];
  if (parts.length > MAX_LISTED_PARTS) lines.push(say.t('picture.line.more', { count: parts.length - MAX_LISTED_PARTS }));
  if (parts.length > 1) lines.push(say.t('picture.line.sum', { value: value(sum) }));
  const againstValue = drawn.against[bar];
  if (typeof againstValue === 'number') lines.push(`${drawn.againstFields.map((path) => fieldName(operation, path, say)).join(' + ')}: ${value(againstValue)}`);
  return lines;
}

export function formatTimeSpan(begin: number, end: number, say: TextFormats): string {
  return `${formatDateTime(begin, say)} – ${formatDateTime(end, say)}`;
}

function rangeText(begin: number | null | undefined, end: number | null | undefined, say: TextFormats): string | null {
  if (begin === null || begin === undefined) return null;
  const until = end === null || end === undefined ? say.t('picture.line.now') : formatDateTime(end * 1000, say);
  return `${formatDateTime(begin * 1000, say)} – ${until}`;
}
