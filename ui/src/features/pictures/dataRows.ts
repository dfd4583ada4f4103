import type { BarsView, Operation, Picture, PictureView, SpansView, WeekView } from '@/ipc/bindings';
import { type TextFormats, fieldName, moment, valueText } from './itemText';

/** A table row. `values` are used for sorting, and `rows` are the positions of its rows in the set. */
export type Cells = { texts: string[]; values: (string | number)[]; rows: readonly number[] };
export type Table = { columns: string[]; rows: Cells[] };

/** Returns the values that a picture shows, as table rows. */
export function tableOf(operation: Operation, picture: Picture, view: PictureView, say: TextFormats): Table {
  const { drawn } = view;
  if (drawn.shape === 'bars') return ofBars(operation, view, drawn, say);
  return drawn.shape === 'week' ? ofWeek(drawn, say) : ofSpans(operation, picture, drawn, say);
}

function ofSpans(operation: Operation, { draw }: Picture, view: SpansView, say: TextFormats): Table {
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
    const shown = moments.map((seconds) => (typeof seconds === 'number' ? moment(seconds * 1000, say) : ''));
    return { texts: [...lead, ...shown, ...words], values: [...lead, ...moments.map((seconds) => seconds ?? 0), ...words], rows: [row] };
  });
  const columns = [say.t('picture.column.name'), lane, ...times.map((path) => (path ? field(path) : '')), status, say.t('picture.column.standing')];
  return without(columns, rows);
}

/** Removes columns without a heading. */
function without(columns: string[], rows: Cells[]): Table {
  const columnsShown = columns.map((name, at) => ({ name, at })).filter(({ name }) => name !== '');
  const of = <T>(list: T[]) => columnsShown.flatMap(({ at }) => list.slice(at, at + 1));
  return { columns: columnsShown.map(({ name }) => name), rows: rows.map(({ texts, values, rows: own }) => ({ texts: of(texts), values: of(values), rows: own })) };
}

function ofBars(operation: Operation, view: PictureView, bars: BarsView, say: TextFormats): Table {
  const parts = bars.labels.map(() => new Map<number, number>());
  bars.partOf.forEach((bar, at) => parts[bar]?.set(bars.partName[at] ?? 0, bars.partValue[at] ?? 0));
  const sum = (bar: number) => [...(parts[bar]?.values() ?? [])].reduce((all, value) => all + value, 0);
  const unit = bars.units.length > 0;
  const against = bars.against.length > 0;
  const none = say.t('picture.none');
  const row = (bar: number, between: string[], numbers: number[]): Cells => {
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

const monday = Date.UTC(1970, 0, 5);
const day = 24 * 3_600_000;

function clock(minutes: number): string {
  return new Date((minutes % 1440) * 60_000).toISOString().slice(11, 16);
}

function ofWeek(week: WeekView, say: TextFormats): Table {
  const columns = (['lane', 'name', 'begin', 'end', 'status'] as const).map((key) => say.t(`picture.column.${key}`));
  const weekday = (at: number) => say.weekday(monday + (at - 1) * day);
  const shifts = week.shiftLane.map((lane, at): Cells => {
    const begin = week.shiftBegin[at] ?? 0;
    const on = weekday(week.shiftDay[at] ?? 1);
    const texts = [week.lanes[lane] ?? '', week.names[week.shiftName[at] ?? -1] ?? '', `${on} ${clock(begin)}`, clock(week.shiftEnd[at] ?? 0), ''];
    return { texts, values: [texts[0] ?? '', texts[1] ?? '', (week.shiftDay[at] ?? 1) * 1440 + begin, texts[3] ?? '', ''], rows: [week.rows[lane] ?? 0] };
  });
  const stoppages = week.stoppageLane.map((lane, at): Cells => {
    const moments = [week.stoppageBegin[at] ?? 0, week.stoppageEnd[at] ?? 0];
    const [begin = '', end = ''] = moments.map((seconds) => moment(seconds * 1000, say));
    const words = [week.stoppageName[at], week.stoppageStatus[at]].map((name) => week.names[name ?? -1] ?? '');
    const texts = [week.lanes[lane] ?? '', words[0] ?? '', begin, end, words[1] ?? ''];
    return { texts, values: [texts[0] ?? '', texts[1] ?? '', ...moments, texts[4] ?? ''], rows: [week.rows[lane] ?? 0] };
  });
  return { columns, rows: [...shifts, ...stoppages] };
}
