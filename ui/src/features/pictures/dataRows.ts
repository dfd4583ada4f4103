import type { BarsView, Operation, Picture, PictureView, SpansView, WeekView } from '@/ipc/bindings';
import { type TextFormats, fieldName, formatDateTime, valueText } from './itemText';

/** A table row. `values` are used for sorting, and `rows` are the positions of its rows in the set. */
export type DataRow = { texts: string[]; values: (string | number)[]; rows: readonly number[] };
export type PictureTable = { columns: string[]; rows: DataRow[] };

/** Returns the values that a picture shows, as table rows. */
export function toDataTable(operation: Operation, picture: Picture, view: PictureView, say: TextFormats): PictureTable {
  const { drawn } = view;
  if (drawn.shape === 'bars') return barsTable(operation, view, drawn, say);
  return drawn.shape === 'week' ? weekTable(drawn, say) : spansTable(operation, picture, drawn, say);
}

function spansTable(operation: Operation, { draw }: Picture, view: SpansView, say: TextFormats): PictureTable {
  const field = (path: string) => fieldName(operation, path, say);
  const times =
    draw.kind === 'plan'
      ? [draw.planned.begin, draw.planned.end, draw.real?.begin ?? '', draw.real?.end ?? '']
      : draw.kind === 'alerts'
        ? [draw.opened, draw.acknowledged, '', draw.closed]
        : [];
  const lane = draw.kind === 'plan' || draw.kind === 'alerts' ? field(draw.lane) : '';
  const status = draw.kind === 'plan' && draw.status ? field(draw.status) : say.t('picture.column.status');
  const rows = view.rows.map((row, at) => {
    const moments = [view.firstBegin[at], view.firstEnd[at], view.secondBegin[at], view.secondEnd[at]];
    const standing = view.standing[at] ?? 'fine';
    const words = [view.statuses[view.status[at] ?? -1] ?? '', standing === 'fine' ? '' : say.t(`picture.standing.${standing}`)];
    const lead = [view.label[at] ?? '', view.lanes[view.lane[at] ?? -1] ?? ''];
    const timeTexts = moments.map((seconds) => (typeof seconds === 'number' ? formatDateTime(seconds * 1000, say) : ''));
    return { texts: [...lead, ...timeTexts, ...words], values: [...lead, ...moments.map((seconds) => seconds ?? 0), ...words], rows: [row] };
  });
  const columns = [say.t('picture.column.name'), lane, ...times.map((path) => (path ? field(path) : '')), status, say.t('picture.column.standing')];
  return removeUntitledColumns(columns, rows);
}

/** Removes columns without a heading. */
function removeUntitledColumns(columns: string[], rows: DataRow[]): PictureTable {
  const columnsShown = columns.map((name, at) => ({ name, at })).filter(({ name }) => name !== '');
  const keepTitled = <T>(list: T[]) => columnsShown.flatMap(({ at }) => list.slice(at, at + 1));
  return { columns: columnsShown.map(({ name }) => name), rows: rows.map(({ texts, values, rows: own }) => ({ texts: keepTitled(texts), values: keepTitled(values), rows: own })) };
}

function barsTable(operation: Operation, view: PictureView, bars: BarsView, say: TextFormats): PictureTable {
  const parts = bars.labels.map(() => new Map<number, number>());
  bars.partOf.forEach((bar, at) => parts[bar]?.set(bars.partName[at] ?? 0, bars.partValue[at] ?? 0));
  const sum = (bar: number) => [...(parts[bar]?.values() ?? [])].reduce((all, value) => all + value, 0);
  const unit = bars.units.length > 0;
  const against = bars.against.length > 0;
  const none = say.t('picture.none');
  const row = (bar: number, between: string[], numbers: number[]): DataRow => {
    const againstValue = against ? [bars.against[bar] ?? 0] : [];
    const all = [...numbers, ...againstValue];
    const lead = [bars.labels[bar] ?? '', ...between].map((name) => name || none);
    const units = unit ? [bars.units[bar] ?? ''] : [];
    return { texts: [...lead, ...all.map((value) => valueText(view, value, say)), ...units], values: [...lead, ...all, ...units], rows: bars.rows[bar] ?? [] };
  };
  const ends = [
    ...(against ? [bars.againstFields.map((path) => fieldName(operation, path, say)).join(' + ')] : []),
    ...(unit ? [say.t('picture.column.unit')] : []),
  ];
  if (bars.fields) {
    const columns = [say.t('picture.column.name'), ...bars.names.map((path) => fieldName(operation, path, say)), ...ends];
    return { columns, rows: bars.labels.map((_, bar) => row(bar, [], bars.names.map((__, name) => parts[bar]?.get(name) ?? 0))) };
  }
  const columns = [say.t('picture.column.name'), say.t('picture.column.part'), say.t('picture.column.value'), say.t('picture.column.sum'), ...ends];
  const rows = bars.partOf.map((bar, at) => row(bar, [bars.names[bars.partName[at] ?? -1] ?? ''], [bars.partValue[at] ?? 0, sum(bar)]));
  return { columns, rows };
}

const EPOCH_MONDAY = Date.UTC(1970, 0, 5);
const MILLISECONDS_PER_DAY = 24 * 3_600_000;

function formatClock(minutes: number): string {
  return new Date((minutes % 1440) * 60_000).toISOString().slice(11, 16);
}

function weekTable(week: WeekView, say: TextFormats): PictureTable {
  const columns = (['lane', 'name', 'begin', 'end', 'status'] as const).map((key) => say.t(`picture.column.${key}`));
  const weekday = (at: number) => say.weekday(EPOCH_MONDAY + (at - 1) * MILLISECONDS_PER_DAY);
  const shifts = week.shiftLane.map((lane, at): DataRow => {
    const begin = week.shiftBegin[at] ?? 0;
    const on = weekday(week.shiftDay[at] ?? 1);
    const texts = [week.lanes[lane] ?? '', week.names[week.shiftName[at] ?? -1] ?? '', `${on} ${formatClock(begin)}`, formatClock(week.shiftEnd[at] ?? 0), ''];
    return { texts, values: [texts[0] ?? '', texts[1] ?? '', (week.shiftDay[at] ?? 1) * 1440 + begin, texts[3] ?? '', ''], rows: [week.rows[lane] ?? 0] };
  });
  const stoppages = week.stoppageLane.map((lane, at): DataRow => {
    const moments = [week.stoppageBegin[at] ?? 0, week.stoppageEnd[at] ?? 0];
    const [begin = '', end = ''] = moments.map((seconds) => formatDateTime(seconds * 1000, say));
    const words = [week.stoppageName[at], week.stoppageStatus[at]].map((name) => week.names[name ?? -1] ?? '');
    const texts = [week.lanes[lane] ?? '', words[0] ?? '', begin, end, words[1] ?? ''];
    return { texts, values: [texts[0] ?? '', texts[1] ?? '', ...moments, texts[4] ?? ''], rows: [week.rows[lane] ?? 0] };
  });
  return { columns, rows: [...shifts, ...stoppages] };
}
