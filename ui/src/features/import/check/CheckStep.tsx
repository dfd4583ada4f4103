import { ActionIcon, Button, Menu, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconChevronDown, IconChevronUp, IconSearch, IconTool } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from '@tanstack/react-query';

import { useSiteName } from '@/components/marks/SiteName';
import { SeveritySign } from '@/components/marks/StatusMarks';
import { type Facet, type FindingKind, type ImportView, type RowFilter, type RowSort, type RowState, type Severity, commands } from '@/ipc/bindings';
import { usePreferences } from '@/base/preferences';
import { queryKeys } from '@/base/queryKeys';
import { usePageKeys } from '@/components/page/pageKeys';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { useFormats } from '@/base/useFormats';
import { useImport } from '@/features/import-session';

import { fieldName } from '../common/fieldNames';
import { FixAllPanel } from './FixAllPanel';
import { CellToolbar, UndoToolbar } from './FixToolbars';
import { RowsGrid, type RowsGridHandle } from './cells/RowsGrid';
import type { Actions, MenuPosition } from './cells/actions';
import type { FocusedCell, Range } from './cells/cellRange';
import { useCellActions } from './useCellActions';
import { type Fixes, useCellHelp, useFixes, useFixKeys } from './useFixes';
import countStyles from '../common/counts.module.css';
import styles from './check.module.css';
import fixStyles from './fix.module.css';

type CellStatusProps = { view: ImportView; focused: FocusedCell | null; shown: number; actions: Actions; fixes: Fixes };

/**
 * Shows the focused cell's original text, the value to send if it differs, and the actions for the selected cells. The findings
 * are shown at the cell.
 */
function CellStatus({ view, focused, shown, actions, fixes }: CellStatusProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const all = view.rejectedRows || view.counts.rows;
  const column = view.columns.find((one) => one.index === focused?.column);
  const cell = column && focused?.row.cells[column.index];
  return (
    <footer className={styles.status}>
      <div className={styles.finding} role="status" data-testid="cell-status">
        {!focused && <span className="muted">{t('check.choose')}</span>}
        {cell && cell.was !== null && (
          <span className="muted">{cell.was ? t('check.was', { value: cell.was }) : t('check.wasEmpty')}</span>
        )}
        {cell?.read && cell.read !== cell.shown && <span className="muted">{t('check.sentAs', { value: cell.read })}</span>}
      </div>
      <CellToolbar view={view} fixes={fixes} actions={actions} />
      <span className="number muted" data-testid="rows-shown">
        {t('check.shown', { count: all, shown: number(shown), rows: number(all) })}
      </span>
    </footer>
  );
}

/** Saves a copy of the workbook with each row's status and findings. */
function SaveFindingsButton({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { language } = usePreferences();
  const save = useMutation({
    mutationFn: () => {
      const name = t('check.findingsName', { name: view.file.replace(/\.[^.]+$/u, '') });
      return commands.importSaveFindings(view.id, language, t('check.saveTitle'), name);
    },
    onSuccess: (saved) => {
      if (saved) showSavedNotice(saved.path, t(saved.keepsOriginal ? 'common.savedTo' : 'check.savedNew', { path: saved.path }));
    },
    onError: showProblemNotice,
  });
  return (
    <Button variant="default" size="xs" onClick={() => save.mutate()} disabled={save.isPending} data-testid="save-findings">
      {t('check.saveFindings')}
    </Button>
  );
}

/** Offers to fill merged cells into each of their rows. */
function MergedCellsNote({ view, fixes }: { view: ImportView; fixes: Fixes }) {
  const { t } = useTranslation();
  const { cells, columns } = view.reading.merged;
  if (cells === 0) return null;
  return (
    <p className={styles.offer} role="status" data-testid="merged">
      <span>{t('fix.merged.say', { columns: columns.join(', ') })}</span>
      <Button size="compact-sm" variant="default" onClick={() => fixes.fix({ kind: 'fill-merged' })} data-testid="fill-merged">
        {t('fix.merged.fill', { count: cells })}
      </Button>
    </p>
  );
}

type FixMenuProps = { place: MenuPosition | null; actions: Actions; close: () => void };

/** Context menu for the selected cells, also opened by Shift+F10 or the menu key. */
function FixMenu({ place, actions, close }: FixMenuProps) {
  const { t } = useTranslation();
  const { count, rows, fillDown, fillRight, sameText, exclude, include, setReplacing } = actions;
  return (
    <Menu
      opened={place !== null}
      onChange={(opened) => {
        if (opened) return;
        place?.back?.focus();
        close();
      }}
      position="bottom-start"
      returnFocus={false}
      shadow="md"
    >
      <Menu.Target>
        <span aria-hidden className={fixStyles.anchor} style={{ left: place?.left ?? 0, top: place?.top ?? 0 }} />
      </Menu.Target>
      <Menu.Dropdown aria-label={t('fix.menu')} data-testid="fix-menu">
        {sameText && <Menu.Item onClick={() => setReplacing(true)}>{t('fix.replaceCount', { count: sameText.count })}</Menu.Item>}
        {fillDown && <Menu.Item onClick={fillDown}>{t('fix.fill')}</Menu.Item>}
        {fillRight && count > rows && <Menu.Item onClick={() => fillRight()}>{t('fix.fillRight')}</Menu.Item>}
        {exclude && <Menu.Item onClick={exclude.run}>{t('fix.exclude', { count: exclude.count })}</Menu.Item>}
        {include && <Menu.Item onClick={include.run}>{t('fix.include', { count: include.count })}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}

const NO_FILTER: RowFilter = { severity: null, code: null, field: null, text: null, state: null, sort: null, round: 0 };

/** Returns the filter for all rows of the import. A retry has only the rejected rows. */
function initialRowFilter(view: ImportView): RowFilter {
  return view.rejectedRows > 0 ? { ...NO_FILTER, state: 'rejected' } : NO_FILTER;
}

type FindingFacetsProps = {
  view: ImportView;
  chosen: RowFilter;
  choose: (filter: RowFilter) => void;
  fixAll: (kind: FindingKind) => void;
  siteCheck: ReactNode;
  /** Goes to the next or previous problem. Null if there is none. */
  problems: ReactNode;
};

/** The state of the check against the site, and the kinds of findings with their counts. Each kind filters the grid. */
function FindingFacets({ view, chosen, choose, fixAll, siteCheck, problems }: FindingFacetsProps) {
  const { t } = useTranslation();
  return (
    <nav className={styles.facets} aria-label={t('check.facets')}>
      <div className={styles.siteCheck}>{siteCheck}</div>
      {problems}
      {view.facets.length === 0 && <p className="muted">{t(view.rejectedRows > 0 ? 'check.cleanRejected' : 'check.clean')}</p>}
      {sortFacets(view.facets).map((facet) => (
        <div
          key={`${facet.code}·${facet.field ?? ''}·${facet.severity}`}
          className={styles.facetLine}
          data-fixable={isFixable(facet)}
        >
          <FacetEntry view={view} facet={facet} chosen={chosen} choose={choose} />
          {isFixable(facet) && <FixAllButton view={view} facet={facet} fixAll={fixAll} />}
        </div>
      ))}
    </nav>
  );
}

/** Findings that other steps resolve: matching columns, or choosing the encoding. */
const OTHER_STEP_FINDINGS: ReadonlySet<Facet['code']> = new Set<Facet['code']>([
  'missing-column',
  'several-columns',
  'other-encoding',
]);

function isFixable({ severity, code }: Facet): boolean {
  return severity !== 'note' && !OTHER_STEP_FINDINGS.has(code);
}

const SEVERITY_ORDER: readonly Severity[] = ['error', 'warning', 'note'];

function sortFacets(facets: readonly Facet[]): Facet[] {
  return facets.toSorted((a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) || b.count - a.count);
}

function FixAllButton({ view, facet, fixAll }: Pick<FindingFacetsProps, 'view' | 'fixAll'> & { facet: Facet }) {
  const { t, i18n } = useTranslation();
  const { code, field, severity } = facet;
  const kindText = [t(`kinds.${code}`), field && fieldName(view.fields, field, i18n.language)].filter(Boolean).join(', ');
  return (
    <Tooltip label={t('fix.all.open')} position="right">
      <ActionIcon
        className={styles.fixAll}
        variant="subtle"
        color="petrol"
        size="sm"
        aria-label={t('fix.all.of', { what: kindText })}
        onClick={() => fixAll({ severity, code, field })}
        data-testid={`fix-all-${code}`}
        data-field={field ?? ''}
      >
        <IconTool size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function FacetEntry({ view, facet, chosen, choose }: Omit<FindingFacetsProps, 'fixAll' | 'siteCheck' | 'problems'> & { facet: Facet }) {
  const { t, i18n } = useTranslation();
  const { number } = useFormats();
  const isChosen = chosen.code === facet.code && chosen.field === facet.field && chosen.severity === facet.severity;
  return (
    <UnstyledButton
      className={styles.facet}
      aria-pressed={isChosen}
      onClick={() =>
        choose(isChosen ? initialRowFilter(view) : { ...initialRowFilter(view), severity: facet.severity, code: facet.code, field: facet.field })
      }
      data-testid={`facet-${facet.code}`}
      data-field={facet.field ?? ''}
    >
      <SeveritySign severity={facet.severity} withLabel />
      <span className={styles.kind}>
        {t(`kinds.${facet.code}`)}
        {facet.field && <span className="muted small">{fieldName(view.fields, facet.field, i18n.language)}</span>}
      </span>
      <span className="number">{number(facet.count)}</span>
    </UnstyledButton>
  );
}

type RowCountsProps = { view: ImportView; chosen: RowFilter; choose: (filter: RowFilter) => void };

/** The number of rows per state. Each number filters the grid. */
function RowCounts({ view, chosen, choose }: RowCountsProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { counts } = view;
  // In a retry, only the rejected rows can be sent. All other rows are excluded.
  const isRetry = view.rejectedRows > 0;
  const all = initialRowFilter(view);
  const severityButton = (severity: Severity | null, name: string, count: number, testId: string) => (
    <UnstyledButton
      className={countStyles.count}
      aria-pressed={chosen.severity === severity && chosen.code === null && chosen.state === all.state}
      onClick={() => choose({ ...all, severity })}
    >
      {severity && <SeveritySign severity={severity} />}
      <span>{name}</span>
      <b className="number" data-testid={testId}>
        {number(count)}
      </b>
    </UnstyledButton>
  );
  const stateButton = (which: RowState, name: string, count: number) => (
    <UnstyledButton
      className={countStyles.count}
      aria-pressed={chosen.state === which}
      onClick={() => choose(chosen.state === which ? all : { ...all, state: which })}
    >
      <span>{name}</span>
      <b className="number" data-testid={`counts-${which}`}>
        {number(count)}
      </b>
    </UnstyledButton>
  );
  return (
    <div className={countStyles.counts} role="group" aria-label={t('check.counts')}>
      {severityButton(null, isRetry ? t('check.rejectedRows') : t('check.all'), isRetry ? view.rejectedRows : counts.rows, isRetry ? 'counts-rejected' : 'counts-rows')}
      {severityButton('error', t('check.errorRows'), counts.errorRows, 'counts-errors')}
      {severityButton('warning', t('check.warningRows'), counts.warningRows, 'counts-warnings')}
      {(view.editedRows > 0 || chosen.state === 'edited') && stateButton('edited', t('check.editedRows'), view.editedRows)}
      {!isRetry && (counts.excluded > 0 || chosen.state === 'excluded') && stateButton('excluded', t('check.excludedRows'), counts.excluded)}
      <span className={styles.ready} role="status">
        {t('check.ready')}{' '}
        <b className="number" data-testid="counts-ready">
          {number(counts.readyRows)}
        </b>
      </span>
    </div>
  );
}

type ProblemNavigationProps = {
  /** The number of cells with errors or warnings among the shown rows. */
  total: number;
  /** The number of the problem that was visited last, null if none was. */
  number: number | null;
  go: (forward: boolean) => void;
};

/** Visits the cells with errors or warnings one after the other, also by F8 and Shift+F8. */
function ProblemNavigation({ total, number: visited, go }: ProblemNavigationProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <div className={styles.problems} role="group" aria-label={t('check.problems')}>
      <span role="status" data-testid="problem-number">
        {visited === null ? t('check.problemCount', { count: total, shown: number(total) }) : t('check.problemAt', { number: number(visited), total: number(total) })}
      </span>
      <Tooltip label={t('check.problemPrevious')}>
        <ActionIcon variant="subtle" size={28} aria-label={t('check.problemPrevious')} aria-keyshortcuts="Shift+F8" onClick={() => go(false)} disabled={total === 0} data-testid="problem-previous">
          <IconChevronUp size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('check.problemNext')}>
        <ActionIcon variant="subtle" size={28} aria-label={t('check.problemNext')} aria-keyshortcuts="F8" onClick={() => go(true)} disabled={total === 0} data-testid="problem-next">
          <IconChevronDown size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** Returns the cells with errors or warnings among the shown rows. F8 and Shift+F8 visit them one after the other. */
function useProblems(view: ImportView, filter: RowFilter, grid: RefObject<RowsGridHandle | null>): ProblemNavigationProps {
  const [visited, setVisited] = useState<{ view: ImportView; filter: RowFilter; number: number } | null>(null);
  const { data: first } = useQuery({
    queryKey: queryKeys.firstProblem(view, filter),
    queryFn: () => commands.importFindProblem(view.id, filter, null, true),
    gcTime: 0,
    placeholderData: (before) => before,
  });
  const go = (forward: boolean) => {
    void grid.current?.goToProblem(forward).then((problem) => setVisited(problem && { view, filter, number: problem.number }));
  };
  usePageKeys((event) => {
    if (event.key !== 'F8' || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    go(!event.shiftKey);
  });
  // A fix or another filter changes the numbers.
  const isCurrent = visited !== null && visited.view === view && visited.filter === filter;
  return { total: first?.total ?? 0, number: isCurrent ? visited.number : null, go };
}

/** The check step: all rows, with findings at their cells and actions to fix them. */
export function CheckStep({ view, siteCheck }: { view: ImportView; /** The state of the check against the site. */ siteCheck: ReactNode }) {
  const { t } = useTranslation();
  const { isFixingSkipped } = useImport();
  const siteName = useSiteName();
  const [chosen, setChosen] = useState<RowFilter>(() => (isFixingSkipped ? { ...NO_FILTER, severity: 'error' } : initialRowFilter(view)));
  const [sort, setSort] = useState<RowSort | null>(null);
  const [text, setText] = useState('');
  const [debouncedText] = useDebouncedValue(text.trim(), 250);
  const [focused, setFocused] = useState<FocusedCell | null>(null);
  const [range, setRange] = useState<Range | null>(null);
  const [menu, setMenu] = useState<MenuPosition | null>(null);
  const [kind, setKind] = useState<FindingKind | null>(null);
  const [total, setTotal] = useState(view.rejectedRows || view.counts.rows);
  const clearSelection = useCallback(() => {
    setFocused(null);
    setRange(null);
  }, []);
  const choose = (next: RowFilter) => {
    // A new round makes the engine filter again, so that fixed rows move to their new filter.
    setChosen((now) => ({ ...next, round: (now.round ?? 0) + 1 }));
    clearSelection();
  };
  // The panel is about the chosen findings, so it doesn't stay open beside others.
  const chooseOther = (next: RowFilter) => {
    setKind(null);
    choose(next);
  };
  const changeSort = useCallback((next: RowSort | null) => {
    setSort(next);
    clearSelection();
  }, [clearSelection]);
  const filter = useMemo(() => ({ ...chosen, text: debouncedText || null, sort }), [chosen, debouncedText, sort]);
  const fixes = useFixes(view);
  useFixKeys(fixes);
  const help = useCellHelp(view, focused);
  const { actions, actionsOf } = useCellActions({ view, filter, focused, range, fixes, help });
  const grid = useRef<RowsGridHandle>(null);
  const problems = useProblems(view, filter, grid);
  return (
    <div className={styles.outer}>
      <div className={styles.filter}>
        <UndoToolbar view={view} fixes={fixes} />
        <RowCounts view={view} chosen={chosen} choose={chooseOther} />
        <TextInput
          className={styles.search}
          leftSection={<IconSearch size={14} aria-hidden />}
          placeholder={t('check.search')}
          aria-label={t('check.search')}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            clearSelection();
          }}
          size="xs"
          data-testid="check-search"
        />
        <SaveFindingsButton view={view} />
      </div>
      <MergedCellsNote view={view} fixes={fixes} />
      {view.sentRows > 0 && (
        <p className={styles.previously} role="status" data-testid="sent-rows">
          {t('check.sentRows', { count: view.sentRows, site: siteName(view.destination?.site ?? '') })}
        </p>
      )}
      {view.previouslyAccepted > 0 && (
        <p className={styles.previously} role="status" data-testid="previously-accepted">
          {t('check.previously', { count: view.previouslyAccepted })}
        </p>
      )}
      <div className={styles.middle}>
        <FindingFacets
          view={view}
          chosen={chosen}
          choose={chooseOther}
          siteCheck={siteCheck}
          problems={<ProblemNavigation {...problems} />}
          fixAll={(found) => {
            setKind(found);
            choose({ ...initialRowFilter(view), ...found });
          }}
        />
        <RowsGrid
          ref={grid}
          view={view}
          filter={filter}
          focused={focused}
          range={range}
          help={help}
          actions={actions}
          actionsOf={actionsOf}
          onFocus={setFocused}
          onRange={setRange}
          onSort={changeSort}
          onTotal={setTotal}
          onMenu={setMenu}
        />
        {kind && <FixAllPanel key={JSON.stringify(kind)} view={view} kind={kind} fixes={fixes} close={() => setKind(null)} />}
      </div>
      <CellStatus view={view} focused={focused} shown={total} actions={actions} fixes={fixes} />
      <FixMenu place={menu} actions={actions} close={() => setMenu(null)} />
    </div>
  );
}
