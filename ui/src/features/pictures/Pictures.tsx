import { Button, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconArrowsMove } from '@tabler/icons-react';
import type { ColDef } from 'ag-grid-community';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';

import { usePreferences } from '@/base/preferences';
import { useFormats } from '@/base/useFormats';
import { PlainGrid } from '@/components/grid/Grid';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { EmptyState } from '@/components/page/EmptyState';
import { useImport } from '@/features/import-session';
import type { Operation, Picture, PictureView, Problem, RowChange } from '@/ipc/bindings';
import { DetailPanel } from '@/components/page/DetailPanel';

import { ChartSurface, type ChartHandle } from './ChartSurface';
import { PictureToolbar } from './PictureToolbar';
import { referenceValueLook, hasNamedParts, partLooks } from './boards/barBoard';
import type { Board, Item } from './boards/board';
import { alertLegend, planLegend, weekLegend } from './boards/boxStyles';
import { type Look, readColors } from './boards/colors';
import type { Conflict } from './boards/conflicts';
import { isKnown } from './boards/planBoard';
import { type DataRow, toDataTable } from './dataRows';
import { type TextFormats, fieldName, formatWallTime, itemLines, formatDateTime } from './itemText';
import { type Moves, type PlacedMoves, useMoves } from './useMoves';
import { type Drawing, usePicture, useTextFormats } from './usePicture';
import { usePictureActions } from './usePictureActions';
import styles from './pictures.module.css';
import type { ChartTexts } from './chart/chartOption';

type RowSelection = { title: string; rows: readonly number[]; labels: readonly string[] };

const MAX_PICKED_ROWS = 500;

/** Lists rows, so that one can be opened: the rows of a bar, or the rows without a date. */
function RowPicker({ pick, open, close }: { pick: RowSelection; open: (row: number) => void; close: () => void }) {
  const { t } = useTranslation();
  return (
    <DetailPanel title={pick.title} close={close}>
      <ul className={styles.picked} data-testid="picture-rows">
        {pick.rows.slice(0, MAX_PICKED_ROWS).map((row, at) => (
          <li key={row}>
            <UnstyledButton onClick={() => open(row)}>{pick.labels[at] || t('picture.row', { row: row + 1 })}</UnstyledButton>
          </li>
        ))}
      </ul>
      {pick.rows.length > MAX_PICKED_ROWS && <p className="muted">{t('picture.line.more', { count: pick.rows.length - MAX_PICKED_ROWS })}</p>}
    </DetailPanel>
  );
}

const MILLISECONDS_PER_DAY = 24 * 3_600_000;

/** Returns the chart's texts: its description and axis labels. */
function useChartWords(board: Board | null, label: string, say: TextFormats): ChartTexts {
  const { date } = useFormats();
  const lanes = board?.lanes.length ?? 0;
  const items = board?.items.length ?? 0;
  const from = board?.axis === 'time' ? formatDateTime(board.range.from, say) : '';
  const to = board?.axis === 'time' ? formatDateTime(board.range.to, say) : '';
  const duration = board?.axis === 'duration';
  return useMemo(() => {
    const span = from ? say.t('picture.described.time', { from, to }) : '';
    return {
      description: [say.t('picture.described.what', { label, lanes }), say.t('picture.described.items', { count: items }), span].filter(Boolean).join(' '),
      value: (value) => (duration ? say.duration(value) : say.number(value)),
      tick: (at) => (at % MILLISECONDS_PER_DAY === 0 ? date(at) : new Date(at).toISOString().slice(11, 16)),
    };
  }, [label, lanes, items, from, to, duration, say, date]);
}

type AxesProps = { operation: Operation; picture: Picture; by: number; view: PictureView; say: TextFormats };

/** The labels of a chart's axes. */
function Axes({ operation, picture, by, view, say }: AxesProps) {
  const { t } = useTranslation();
  const { draw } = picture;
  const fields = 'by' in draw ? (draw.by[by]?.fields ?? []) : [draw.lane];
  const rows = fields.map((path) => fieldName(operation, path, say)).join(' · ');
  const axis = view.drawn.shape === 'bars' ? t(`picture.axis.${view.drawn.measure}`) : t('picture.axis.time');
  return (
    <p className={styles.axes} data-testid="picture-axes">
      {t('picture.axes', { rows, axis })}
    </p>
  );
}

type UnreadableMovesProps = { problem: Problem; discard: () => void };

/** Shows that stored moves can't be read. They stay stored until you discard them. */
function UnreadableMoves({ problem, discard }: UnreadableMovesProps) {
  const { t } = useTranslation();
  return (
    <section aria-label={t('picture.legend.moved')} data-testid="picture-moves-unreadable">
      <ProblemNote problem={problem} />
      {problem.code === 'journal-damaged' && problem.parameters['case'] === 'moved-bars' && (
        <Button size="compact-sm" variant="default" onClick={discard} data-testid="picture-discard">
          {t('picture.discard')}
        </Button>
      )}
    </section>
  );
}

type DataTableProps = { operation: Operation; picture: Picture; view: PictureView; label: string; say: TextFormats; open: (rows: readonly number[], label: string) => void };

/** A picture's exact values as a table, also for screen readers. */
function DataTable({ operation, picture, view, label, say, open }: DataTableProps) {
  const { t } = useTranslation();
  const { columns, rows } = useMemo(() => toDataTable(operation, picture, view, say), [operation, picture, view, say]);
  const definitions = useMemo<ColDef<DataRow>[]>(
    () =>
      columns.map((headerName, at) => ({
        headerName,
        colId: String(at),
        valueGetter: ({ data }) => data?.texts[at] ?? '',
        sortable: true,
        comparator: (_, __, a, b) => compareCells(a.data?.values[at], b.data?.values[at]),
        width: at === 0 ? 220 : 150,
      })),
    [columns],
  );
  const options = useMemo(
    () => ({
      rowData: rows,
      onRowClicked: ({ data }: { data: DataRow | undefined }) => data && open(data.rows, data.texts[0] ?? ''),
    }),
    [rows, open],
  );
  return <PlainGrid key={view.drawn.shape} label={t('picture.tableOf', { picture: label })} testId="picture-table" columns={definitions} options={options} />;
}

function compareCells(a: string | number | undefined, b: string | number | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a ?? '').localeCompare(String(b ?? ''), undefined, { numeric: true });
}

const MAX_WARNINGS = 4;

/** Lists conflicts of moved bars. They don't prevent sending. `rows` describes the rows that were compared. */
function MoveWarnings({ conflicts, rows }: { conflicts: readonly Conflict[]; rows: string }) {
  const { t } = useTranslation();
  if (conflicts.length === 0) return null;
  const more = conflicts.length - MAX_WARNINGS;
  return (
    <div className={styles.warnings} role="status" data-testid="picture-warnings">
      <ul>
        {conflicts.slice(0, MAX_WARNINGS).map((conflict) => (
          <li key={`${conflict.moved} ${conflict.kind} ${conflict.other}`}>
            <IconAlertTriangle size={14} aria-hidden />
            <span className="mono">{conflict.moved}</span> {t(`picture.conflict.${conflict.kind}`, conflict)}
          </li>
        ))}
      </ul>
      <span className="muted">
        {more > 0 && `${t('picture.line.more', { count: more })}. `}
        {t('picture.comparedWith', { rows })}
      </span>
    </div>
  );
}

/** The picture for printing. It is rendered outside the window, because print styles hide the window. */
function PrintPage({ title, image }: { title: string; image: string }) {
  if (!image) return null;
  return createPortal(
    <div className={styles.paper} data-testid="picture-paper">
      <h1>{title}</h1>
      <img src={image} alt={title} />
    </div>,
    document.body,
  );
}

type LegendEntry = { look: Look | null; text: string };
type LegendProps = { operation: Operation; picture: Picture; by: number; view: PictureView; known: boolean; moved: boolean; say: TextFormats };

/** Explains the colors and shapes of the boxes. */
function Legend(props: LegendProps) {
  const { t } = useTranslation();
  return (
    <ul className={styles.legend} aria-label={t('picture.legend.title')}>
      {legendEntries(props).map(({ look, text }) => (
        <li key={text}>
          {look && <Swatch look={look} />}
          {text}
        </li>
      ))}
    </ul>
  );
}

function legendEntries({ operation, picture: { draw }, by, view, known, moved, say }: LegendProps): LegendEntry[] {
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
  const namedParts = hasNamedParts(drawn) ? drawn.names.map((name, at) => ({ look: looks[at] ?? referenceValueLook, text: partName(name) })) : null;
  const parts = namedParts ?? (stack.length > 0 ? [divided] : []);
  const against = drawn.againstFields.map((path) => ({ look: referenceValueLook, text: fieldName(operation, path, say) }));
  return [...parts, ...against];
}

const SWATCH_SIZE = { width: 22, height: 12 };

function Swatch({ look }: { look: Look }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { colorScheme } = usePreferences();
  useEffect(() => {
    const pen = canvas.current?.getContext('2d');
    if (!pen) return;
    const ink = readColors(colorScheme);
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
    // Pale fills look alike at this size, so they get a frame.
    pen.lineWidth = 2;
    pen.strokeRect(2, 2, SWATCH_SIZE.width - 4, SWATCH_SIZE.height - 4);
  }, [look, colorScheme]);
  return <canvas ref={canvas} {...SWATCH_SIZE} aria-hidden />;
}

const MAX_NAMED_BARS = 5;

type MoveRules = NonNullable<Moves['rules']>;
/** `lanes` has the lanes' names at the service. */
type MoveBarProps = { moves: Moves; placed: PlacedMoves; can: MoveRules; set: number; lanes: readonly string[] };

/** Shows the number of moved bars and the actions for them. Nothing is sent from here. */
function MoveBar({ moves, placed, can, set, lanes }: MoveBarProps) {
  const { t } = useTranslation();
  const { openRows, busy } = useImport();
  const preview = () => void openRows({ set, positions: [...placed.byPosition.keys()], operation: can.operation, changes: changesOf(placed, can, lanes) });
  return (
    <section className={styles.moves} aria-label={t('picture.legend.moved')} data-testid="picture-moves">
      <span role="status">
        {[
          placed.byPosition.size > 0 && t('picture.moved', { count: placed.byPosition.size }),
          placed.undrawnCount > 0 && t('picture.movedElsewhere', { count: placed.undrawnCount }),
          placed.changed.length > 0 && t('picture.movedChanged', { count: placed.changed.length, orders: shortList(placed.changed) }),
        ]
          .filter(Boolean)
          .join(' ')}
      </span>
      <Button size="compact-sm" disabled={busy || placed.byPosition.size === 0} onClick={preview} data-testid="picture-preview">
        {t('picture.preview')}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={moves.undo} data-testid="picture-undo">
        {t('picture.undo')}
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={moves.clear} data-testid="picture-discard">
        {t('picture.discard')}
      </Button>
    </section>
  );
}

function shortList(labels: readonly string[]): string {
  return labels.length > MAX_NAMED_BARS ? `${labels.slice(0, MAX_NAMED_BARS).join(', ')}, …` : labels.join(', ');
}

/** Converts moves to changed field values for the operation that accepts them. */
function changesOf({ byPosition, changedLanes }: PlacedMoves, can: MoveRules, lanes: readonly string[]): RowChange[] {
  return [...byPosition].flatMap(([position, { begin, end, lane }]) => {
    const times = [
      { position, field: can.begin, value: formatWallTime(begin) },
      { position, field: can.end, value: formatWallTime(end) },
    ];
    const station = lanes[lane];
    if (can.lane && station && changedLanes.has(position)) times.push({ position, field: can.lane, value: station });
    return times;
  });
}

type FilteredRowsProps = { operation: Operation; drawing: Drawing; shown: number; showAll: () => void };

/** Shows that the table's search and filters also apply to the picture, with a button to include all rows. */
function FilteredRows({ operation, drawing: { rows, arrangement }, shown, showAll }: FilteredRowsProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const say = useTextFormats();
  const filterTexts = [...(arrangement.find ? [`“${arrangement.find}”`] : []), ...new Set(arrangement.filters.map(({ path }) => fieldName(operation, path, say)))];
  if (filterTexts.length === 0) return null;
  return (
    <div className={styles.note} data-testid="picture-filtered">
      {t('picture.filtered', { count: rows, shown: number(shown), of: number(rows), what: filterTexts.join(', ') })}
      <Button size="compact-xs" variant="default" onClick={showAll}>
        {t('picture.showAll')}
      </Button>
    </div>
  );
}

type Props = {
  operation: Operation;
  drawing: Drawing;
  /** Reads the remaining rows. Null if all rows were read. */
  readAll: (() => void) | null;
  /** Also draws the rows that the table's search and filters exclude. */
  showAll: () => void;
  open: (row: number) => void;
};

/** The pictures of a list's rows, as defined by the contract. */
export function Pictures({ operation, drawing, readAll, showAll, open }: Props) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const say = useTextFormats();
  const [chosen, setChosen] = useState('');
  const [by, setBy] = useState(0);
  const [showsTable, setShowsTable] = useState(false);
  const [isMoving, setMoving] = useState(false);
  const [pick, setPick] = useState<RowSelection | null>(null);
  const chartHandle = useRef<ChartHandle>(null);
  const picture = operation.pictures.find(({ id }) => id === chosen) ?? operation.pictures[0];
  const moves = useMoves(operation, picture);
  const { view, board, problem, moves: placed, conflicts } = usePicture(operation, picture ?? NO_PICTURE, by, drawing, moves.steps);
  const { discardApplied } = moves;
  useEffect(() => {
    if (placed.applied.length > 0) discardApplied(placed.applied);
  }, [placed.applied, discardApplied]);
  const label = picture ? `${name(operation)}: ${name(picture)}` : '';
  const words = useChartWords(board, label, say);
  const acts = usePictureActions(chartHandle, board, label);
  const rows = useCallback(
    (positions: readonly number[], title: string) => {
      const [only] = positions;
      if (positions.length === 1 && only !== undefined) {
        setPick(null);
        open(only);
      } else setPick({ title, rows: positions, labels: [] });
    },
    [open],
  );
  const dataAttributes = useMemo(() => ({ picture: picture?.id ?? '', ...countItems(view) }), [picture, view]);
  if (!picture) return null;
  const unplanned = view?.drawn.shape === 'spans' ? view.drawn : null;
  return (
    <div className={styles.picture} data-testid="picture">
      <PictureToolbar
        operation={operation}
        picture={picture}
        choose={(id) => {
          setChosen(id);
          setBy(0);
          setPick(null);
        }}
        grouping={by}
        chooseGrouping={setBy}
        showsTable={showsTable}
        toggleTable={() => setShowsTable(!showsTable)}
        runAction={acts.act}
        hasTimeAxis={board?.axis === 'time'}
      >
        {moves.rules && !showsTable && (
          <Button
            size="compact-sm"
            variant={isMoving ? 'light' : 'default'}
            aria-pressed={isMoving}
            onClick={() => setMoving(!isMoving)}
            leftSection={<IconArrowsMove size={14} aria-hidden />}
            data-testid="picture-move"
          >
            {t('picture.move')}
          </Button>
        )}
        {unplanned && unplanned.unplanned.length > 0 && (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => setPick({ title: t('picture.unplanned', { count: unplanned.unplanned.length }), rows: unplanned.unplanned, labels: unplanned.unplannedLabel })}
            data-testid="picture-unplanned"
          >
            {t('picture.unplanned', { count: unplanned.unplanned.length })}
          </Button>
        )}
      </PictureToolbar>
      {view && <FilteredRows operation={operation} drawing={drawing} shown={view.rows} showAll={showAll} />}
      {readAll && view && (
        <div className={styles.note} data-testid="picture-part">
          {t('picture.part', { count: view.rows, rows: number(view.rows) })}
          <Button size="compact-xs" variant="default" onClick={readAll}>
            {t('browse.readAll')}
          </Button>
        </div>
      )}
      {view && view.omitted > 0 && <div className={styles.note}>{t('picture.omitted', { count: view.omitted })}</div>}
      {problem && <ProblemNote problem={problem} />}
      {moves.problem && <UnreadableMoves problem={moves.problem} discard={moves.clear} />}
      {view && board && !showsTable && board.items.length > 0 && (
        <div className={styles.caption}>
          <Legend operation={operation} picture={picture} by={by} view={view} known={board.background !== null} moved={placed.byPosition.size > 0} say={say} />
          <Axes operation={operation} picture={picture} by={by} view={view} say={say} />
        </div>
      )}
      <div className={styles.body}>
        {view && board && showsTable && <DataTable operation={operation} picture={picture} view={view} label={label} say={say} open={rows} />}
        {view && board && !showsTable && board.items.length === 0 && (
          <EmptyState
            picture="chart"
            text={t(view.rows === 0 ? 'picture.noRows' : `picture.empty.${view.drawn.shape}`, { count: view.rows })}
            testId="picture-empty"
          />
        )}
        {view && board && !showsTable && board.items.length > 0 && (
          <ChartSurface
            key={`${picture.id} ${by}`}
            board={board}
            label={label}
            texts={words}
            testId={picture.draw.kind === 'plan' ? 'picture-gantt' : `picture-${picture.draw.kind}`}
            linesOf={(at) => itemLines(operation, view, board, placed.byPosition, at, say)}
            open={(item: Item) => rows(item.rows, item.label)}
            move={isMoving && moves.rules ? { lanes: moves.rules.lane !== null, drop: (at, moved) => moves.drop(board.items[at], moved, unplanned?.lanes ?? []) } : null}
            handleRef={chartHandle}
            dataAttributes={dataAttributes}
          />
        )}
        {pick && <RowPicker pick={pick} open={(row) => rows([row], '')} close={() => setPick(null)} />}
      </div>
      {moves.rules && placed.byPosition.size + placed.undrawnCount > 0 && (
        <>
          <MoveWarnings conflicts={conflicts} rows={number(view?.rows ?? 0)} />
          <MoveBar moves={moves} placed={placed} can={moves.rules} set={drawing.set} lanes={unplanned?.lanes ?? []} />
        </>
      )}
      <PrintPage title={label} image={acts.paper} />
    </div>
  );
}

function countItems(view: ReturnType<typeof usePicture>['view']): { [name: string]: number } {
  if (!view) return {};
  if (view.drawn.shape !== 'spans') return { seen: view.rows };
  const { standing, secondBegin, secondEnd } = view.drawn;
  const lateCount = standing.filter((one) => one === 'late').length;
  const running = secondBegin.filter((begin, at) => isKnown(begin) && !isKnown(secondEnd[at])).length;
  return { seen: view.rows, late: lateCount, running };
}

const NO_PICTURE = {
  id: '',
  names: { en: '', de: '', es: '', pt: '' },
  draw: { kind: 'counted', by: [] },
  provenance: { level: 'assumed', source: '' },
} satisfies Operation['pictures'][number];
