import { Button, Menu, SegmentedControl, Select } from '@mantine/core';
import { json } from '@codemirror/lang-json';
import { useQuery } from '@tanstack/react-query';
import type { ColDef, IDatasource } from 'ag-grid-community';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconChevronDown } from '@tabler/icons-react';

import { useOperations } from '@/base/appState';
import { useOrderLists } from '@/base/links/useOrderLists';
import { type ValueLink, linksOfColumns } from '@/base/links/valueLinks';
import { type Place, useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { PlainGrid } from '@/components/grid/Grid';
import { LinkCell } from '@/components/grid/LinkCell';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type ExportFormat, type GraphqlRows, type StoredAnswer, type Value, commands } from '@/ipc/bindings';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';
import { toProblem } from '@/ipc/problem';

import { CodeEditor } from './code/CodeEditor';
import type { QuerySession } from './common/useQuerySession';
import styles from './common/graphql.module.css';

/** Exports the selected list of the response, or the whole response as JSON. */
function AnswerExport({ answer, path }: { answer: StoredAnswer; path: string | null }) {
  const { t } = useTranslation();
  const save = (format: ExportFormat, of: string | null) =>
    void commands.graphqlExport(answer.id, of, format, t('graphql.saveFile')).then((saved) => showSavedNotice(saved), showProblemNotice);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          ml="auto"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          data-testid="graphql-export"
        >
          {t('graphql.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={!path} onClick={() => save('xlsx', path)} data-testid="graphql-export-xlsx">
          {t('graphql.tableAs', { format: 'xlsx' })}
        </Menu.Item>
        <Menu.Item disabled={!path} onClick={() => save('csv', path)}>
          {t('graphql.tableAs', { format: 'csv' })}
        </Menu.Item>
        <Menu.Item disabled={!path} onClick={() => save('json', path)}>
          {t('graphql.tableAs', { format: 'JSON' })}
        </Menu.Item>
        <Menu.Item onClick={() => save('json', null)}>{t('graphql.wholeAnswer')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

const BLOCK_SIZE = 500;

type Row = { at: number; cells: Value[] };

/** A list of the response as a table. Rows are loaded as they scroll into view. */
function AnswerTable({ id, path }: { id: number; path: string }) {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    queryKey: queryKeys.graphqlRows(id, path),
    queryFn: () => commands.graphqlRows(id, path, 0, BLOCK_SIZE),
    gcTime: 0,
  });
  const columns = useColumns(data ?? NO_ROWS);
  const options = useMemo(
    () => ({ rowModelType: 'infinite' as const, cacheBlockSize: BLOCK_SIZE, datasource: rowSource(id, path), getRowId: rowId }),
    [id, path],
  );
  if (error) return <ProblemNote problem={toProblem(error)} />;
  if (!data) return <div className={styles.waiting} aria-busy="true" />;
  return <PlainGrid<Row> label={t('graphql.table')} testId="grid-graphql" columns={columns} options={options} />;
}

function useColumns({ columns, rows }: GraphqlRows): ColDef<Row>[] {
  const { t } = useTranslation();
  const { decimal } = useFormats();
  const { go } = useNavigation();
  const links = useLinksByColumn(columns);
  return useMemo(() => {
    const valueText = (value: Value | undefined) => {
      if (typeof value === 'number') return decimal(value);
      if (typeof value === 'boolean') return t(value ? 'common.yes' : 'common.no');
      return typeof value === 'string' ? value : '';
    };
    // Numbers in key columns aren't amounts, so they are shown unformatted.
    const asKey = (value: Value | undefined) => (typeof value === 'number' ? String(value) : valueText(value));
    return columns.map(({ heading, numeric }, at) => ({
      ...linkColumn(links.get(heading), go),
      colId: heading,
      headerName: heading,
      headerClass: numeric ? styles.numericHead : undefined,
      cellClass: numeric ? styles.numeric : undefined,
      valueGetter: ({ data }) => (links.has(heading) ? asKey : valueText)(data?.cells[at]),
      tooltipValueGetter: ({ value }: { value?: string | null }) => (value && value.length > 24 ? value : undefined),
      width: columnWidth(heading, rows.slice(0, 50).map((cells) => valueText(cells[at]))),
    }));
  }, [columns, rows, decimal, links, go, t]);
}

/** Returns links for columns whose names identify an item, as in the tables of lists. */
function useLinksByColumn(columns: GraphqlRows['columns']): Map<string, ValueLink> {
  const operations = useOperations();
  const orders = useOrderLists();
  return useMemo(() => linksOfColumns(columns.map(({ heading }) => heading), operations, orders), [columns, operations, orders]);
}

function linkColumn(link: ValueLink | undefined, go: (place: Place) => void): Partial<ColDef<Row>> {
  if (!link) return {};
  return { cellRenderer: LinkCell, cellRendererParams: { follow: (value: string) => go(link(value)) } };
}

function rowSource(id: number, path: string): IDatasource {
  return {
    getRows: ({ startRow, successCallback, failCallback }) => {
      commands.graphqlRows(id, path, startRow, BLOCK_SIZE).then(({ rows, total }) => {
        const tableRows: Row[] = rows.map((cells, at) => ({ at: startRow + at, cells }));
        successCallback(tableRows, total);
      }, failCallback);
    },
  };
}

const rowId = ({ data }: { data: Row }) => String(data.at);
const NO_ROWS: GraphqlRows = { columns: [], rows: [], total: 0 };

/** Returns a column width that fits the header and first cells, within limits. */
function columnWidth(heading: string, cells: string[]): number {
  const longest = Math.max(heading.length, ...cells.map((cell) => cell.length));
  return Math.min(280, Math.max(80, longest * 8 + 32));
}

type ResponseView = 'json' | 'table';

/** The response as JSON or as a table, or the error. */
export function AnswerPane({ session }: { session: QuerySession }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [responseView, setResponseView] = useState<ResponseView>('json');
  const [chosen, setChosen] = useState<string | null>(null);
  const { tab, running } = session;
  const { answer, problem } = tab.outcome;
  const lists = answer?.lists ?? [];
  const list = lists.find(({ path }) => path === chosen) ?? lists[0];
  const table = responseView === 'table' && answer && list;
  return (
    <section className={styles.answer} aria-label={t('graphql.answer')}>
      <header className={styles.answerHead}>
        <SegmentedControl
          size="xs"
          value={table ? 'table' : 'json'}
          onChange={(next) => setResponseView(next as ResponseView)}
          data={[
            { value: 'json', label: t('graphql.json') },
            { value: 'table', label: t('graphql.table'), disabled: lists.length === 0 },
          ]}
          data-testid="graphql-look"
        />
        {table && (
          <Select
            size="xs"
            className={styles.path}
            aria-label={t('graphql.list')}
            data={lists.map(({ path, rows }) => ({ value: path, label: `${path} (${number(rows)})` }))}
            value={list.path}
            onChange={setChosen}
            allowDeselect={false}
            data-testid="graphql-path"
          />
        )}
        {answer && <AnswerExport answer={answer} path={list?.path ?? null} />}
      </header>
      {problem && <ProblemNote problem={problem} />}
      {answer && answer.errors.length > 0 && <ResponseErrors answer={answer} />}
      {answer?.cut && responseView === 'json' && <p className={styles.cut}>{t('graphql.cut')}</p>}
      <div className={styles.text} hidden={Boolean(table)}>
        <AnswerText session={session} text={running ? '' : (answer?.text ?? '')} revision={`${tab.id} ${running} ${answer?.id}`} />
      </div>
      {table && <AnswerTable key={`${answer.id} ${list.path}`} id={answer.id} path={list.path} />}
    </section>
  );
}

function ResponseErrors({ answer }: { answer: StoredAnswer }) {
  const { t } = useTranslation();
  return (
    <div className={styles.errors} role="alert" data-testid="graphql-errors">
      <p>{t('graphql.errors', { count: answer.errors.length })}</p>
      <ul>
        {answer.errors.slice(0, 5).map(({ message, line, column }) => (
          <li key={`${message} ${line} ${column}`}>
            {message} {line !== null && <span className="muted">{t('graphql.place', { line, column: column ?? 1 })}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The response's JSON text, as the engine formatted it. */
function AnswerText({ session, text, revision }: { session: QuerySession; text: string; revision: string }) {
  const { t } = useTranslation();
  const keys = { 'Mod-Enter': () => session.run() };
  return <CodeEditor label={t('graphql.answerText')} text={text} revision={revision} extension={JSON_LANGUAGE} keys={keys} testId="graphql-answer" />;
}

const JSON_LANGUAGE = json();
