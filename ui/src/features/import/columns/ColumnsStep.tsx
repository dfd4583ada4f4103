import { Autocomplete, Button, Select, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { DetailPanel } from '@/components/page/DetailPanel';
import { usePanel } from '@/components/page/usePanel';
import { useImport } from '@/features/import-session';
import { type ColumnView, type ContestedField, type FieldValue, type FieldView, type ImportView, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { fieldName } from '../common/fieldNames';
import { TextAmbiguities } from '../file/TextAmbiguities';
import { JoinForm } from './JoinForm';
import { ColumnMatchRow } from './ColumnMatchRow';
import fileStyles from '../file/file.module.css';
import styles from './columns.module.css';

/** Fields that several columns match. You choose the column for each field. */
function ContestedFields({ view }: { view: ImportView }) {
  if (view.contested.length === 0) return null;
  return (
    <div className={fileStyles.doubts}>
      {view.contested.map((contested) => (
        <ContestedFieldChoice key={contested.field} view={view} contested={contested} />
      ))}
    </div>
  );
}

function ContestedFieldChoice({ view, contested: { field, columns } }: { view: ImportView; contested: ContestedField }) {
  const { t, i18n } = useTranslation();
  const { apply, busy } = useImport();
  // Choosing a column for this field doesn't remove its other fields.
  const choose = (index: number) => {
    const column = view.columns.find((one) => one.index === index);
    const filled = column?.matched ? [column.matched.field, ...column.also] : [];
    const fields = filled.includes(field) ? filled : [...filled, field];
    void apply(commands.importChange(view.id, { change: 'fields', column: index, fields }));
  };
  return (
    <section className={fileStyles.doubt} role="status" data-testid={`contested-${field}`}>
      <p>
        <SeveritySign severity="error" /> {t('columns.contested', { field: fieldName(view.fields, field, i18n.language) })}
      </p>
      <div className={fileStyles.choices}>
        {view.columns
          .filter((column) => columns.includes(column.index))
          .map((column) => (
            <Button
              key={column.index}
              size="xs"
              variant="default"
              disabled={busy}
              title={column.samples.join(' · ')}
              onClick={() => choose(column.index)}
              data-testid={`use-${column.letter}`}
            >
              {t('columns.useColumn', { column: `${column.letter} · ${column.heading}` })}
            </Button>
          ))}
      </div>
    </section>
  );
}

type Group = 'unsure' | 'matched' | 'left';

/** Groups columns by how sure their match is. Within a group they are in file order. */
export function groupColumns(columns: readonly ColumnView[]): { group: Group; columns: number[] }[] {
  const order: Group[] = ['unsure', 'matched', 'left'];
  return order.map((group) => ({
    group,
    // Columns that Takt added to an earlier export match no field.
    columns: columns.filter((column) => !column.own && groupOf(column) === group).map((column) => column.index),
  }));
}

/** Returns the first `maxColumns` columns of the groups. Each group keeps its full number of columns. Empty groups are removed. */
export function limitGroups(
  groups: readonly { group: Group; columns: number[] }[],
  maxColumns: number,
): { group: Group; columns: number[]; total: number }[] {
  return groups
    .map(({ group, columns }, at) => {
      const before = groups.slice(0, at).reduce((sum, one) => sum + one.columns.length, 0);
      return { group, columns: columns.slice(0, Math.max(0, maxColumns - before)), total: columns.length };
    })
    .filter(({ columns }) => columns.length > 0);
}

function groupOf(column: ColumnView): Group {
  if (column.formats.some((format) => format.choice === null)) return 'unsure';
  if (column.matched) return column.matched.reason === 'similar' ? 'unsure' : 'matched';
  return column.candidates.length > 0 ? 'unsure' : 'left';
}

/** Lists the required fields without a column. */
function MissingFields({ view }: { view: ImportView }) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const columns = view.columns.map((column) => ({
    value: String(column.index),
    label: `${column.letter} · ${column.heading || t('columns.noHeading')}`,
  }));
  return (
    <section className={styles.missing} aria-labelledby="missing-title" data-testid="missing">
      <h2 id="missing-title">
        <SeveritySign severity="error" /> {t('columns.missing', { count: view.missing.length })}
      </h2>
      <ul>
        {view.missing.map((path) => (
          <li key={path}>
            <Select
              label={fieldName(view.fields, path, i18n.language)}
              placeholder={t('columns.chooseColumn')}
              data={columns}
              value={null}
              searchable
              nothingFoundMessage={t('common.nothing')}
              onChange={(index) => index && void apply(commands.importMatch(view.id, Number(index), path))}
              data-testid={`missing-${path}`}
            />
            <ConstantField id={view.id} path={path} name={fieldName(view.fields, path, i18n.language)} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Sets a constant for a field without a column. */
function ConstantField({ id, path, name }: { id: number; path: string; name: string }) {
  const { t } = useTranslation();
  const { apply } = useImport();
  const setConstant = (text: string) => {
    if (text.trim()) void apply(commands.importChange(id, { change: 'constant', field: path, text }));
  };
  return (
    <TextInput
      aria-label={t('columns.constant.for', { field: name })}
      placeholder={t('columns.constant.same')}
      onBlur={(event) => setConstant(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && setConstant(event.currentTarget.value)}
      size="xs"
      mt={4}
      data-testid={`constant-${path}`}
    />
  );
}

/** Sets one value for all rows, in a field without a column. */
function ConstantForm({ view }: { view: ImportView }) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const [path, setPath] = useState<string | null>(null);
  const [text, setText] = useState('');
  const free = freeFields(view);
  const field = view.fields.find((one) => one.path === path);
  if (free.length === 0) return null;
  return (
    <form
      className={styles.constant}
      aria-labelledby="constant-title"
      onSubmit={(event) => {
        event.preventDefault();
        if (!path || !text.trim()) return;
        setPath(null);
        setText('');
        void apply(commands.importChange(view.id, { change: 'constant', field: path, text: text.trim() }));
      }}
    >
      <h2 id="constant-title">{t('columns.constant.title')}</h2>
      <Select
        aria-label={t('columns.constant.field')}
        placeholder={t('columns.constant.field')}
        data={free.map((one) => ({ value: one, label: fieldName(view.fields, one, i18n.language) }))}
        value={path}
        onChange={setPath}
        searchable
        nothingFoundMessage={t('common.nothing')}
        size="xs"
        data-testid="constant-field"
      />
      <Autocomplete
        aria-label={t('columns.constant.text')}
        placeholder={t('columns.constant.text')}
        data={field?.kind === 'boolean' ? ['true', 'false'] : (field?.allowed ?? [])}
        value={text}
        onChange={setText}
        disabled={path === null}
        size="xs"
        data-testid="constant-text"
      />
      <Button type="submit" size="xs" variant="default" disabled={path === null || !text.trim()} data-testid="constant-do">
        {t('columns.constant.do')}
      </Button>
    </form>
  );
}

/** Returns the optional fields that no column, join or constant fills. */
function freeFields(view: ImportView): string[] {
  const filled = new Set(view.columns.flatMap((one) => (one.matched ? [one.matched.field, ...one.also] : [])));
  return view.fields
    .filter((one) => !filled.has(one.path) && one.joined === null && one.constant === null && !view.missing.includes(one.path))
    .map((one) => one.path);
}

/** Buttons that export and import the mapping, and notes about constants, joins and changes since the last use. */
function MappingNotes({ view }: { view: ImportView }) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const importMapping = async () => {
    const imported = commands.importUseMapping(view.id, t('columns.file.useTitle'));
    await apply(imported.then((now) => now ?? view));
  };
  const exportMapping = async () => {
    try {
      const name = await commands.importSaveMapping(view.id, t('columns.file.saveTitle'), t('columns.file.name'));
      if (name) notifications.show({ message: t('columns.file.saved', { name }) });
    } catch (cause) {
      showProblemNotice(toProblem(cause));
    }
  };
  const constant = view.fields.filter((field) => field.constant !== null);
  const joined = view.fields.filter((field) => field.joined !== null);
  return (
    <section className={styles.notes} aria-label={t('columns.file.title')}>
      <div className={styles.files}>
        <Button size="compact-sm" variant="subtle" onClick={() => void importMapping()}>
          {t('columns.file.use')}
        </Button>
        <Button size="compact-sm" variant="subtle" onClick={() => void exportMapping()}>
          {t('columns.file.save')}
        </Button>
      </div>
      {(view.changes.length > 0 || constant.length > 0 || joined.length > 0) && (
        <ul data-testid="mapping-notes">
          {view.changes.map((change) => (
            <li key={`${change.kind}·${change.heading}`}>
              {t(`columns.changes.${change.kind}`, { heading: change.heading, was: change.was ?? '' })}
            </li>
          ))}
          {constant.map((field) => (
            <li key={field.path}>
              {t('columns.constant.is', { field: fieldName(view.fields, field.path, i18n.language), text: field.constant })}
              <Button
                size="compact-xs"
                variant="subtle"
                onClick={() => void apply(commands.importChange(view.id, { change: 'constant', field: field.path, text: null }))}
              >
                {t('columns.extra.takeBack')}
              </Button>
            </li>
          ))}
          {joined.map((field) => (
            <JoinedNote key={field.path} view={view} field={field} />
          ))}
        </ul>
      )}
    </section>
  );
}

/** A field that several columns fill, with buttons to edit or remove the join. */
function JoinedNote({ view, field }: { view: ImportView; field: FieldView }) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const [isEditing, setEditing] = useState(false);
  if (!field.joined) return null;
  const { columns, headings, with: between } = field.joined;
  const removeJoin = () => void apply(commands.importChange(view.id, { change: 'joined', field: field.path, columns: [], with: '' }));
  return (
    <li>
      {t('columns.extra.joined', { field: fieldName(view.fields, field.path, i18n.language), headings: headings.join(' + ') })}
      <Button size="compact-xs" variant="subtle" onClick={() => setEditing(!isEditing)} aria-expanded={isEditing} data-testid={`rejoin-${field.path}`}>
        {t('columns.join.change')}
      </Button>
      <Button size="compact-xs" variant="subtle" onClick={removeJoin}>
        {t('columns.extra.takeBack')}
      </Button>
      {isEditing && <JoinForm view={view} field={field.path} columns={columns} initialSeparator={between} done={() => setEditing(false)} />}
    </li>
  );
}

type ValuesPanelProps = { view: ImportView; field: string; close: () => void };

/** A field's distinct values, each with its number of cells and its replacement. */
function ValuesPanel({ view, field, close }: ValuesPanelProps) {
  const { t, i18n } = useTranslation();
  const { number } = useFormats();
  const panel = usePanel<HTMLDivElement>(close);
  const found = useQuery({
    queryKey: queryKeys.fieldValues(view, field),
    queryFn: () => commands.importValues(view.id, field),
    placeholderData: (before) => (before?.field === field ? before : undefined),
  });
  const values = found.data?.values ?? [];
  return (
    <DetailPanel title={t('columns.values.title', { field: fieldName(view.fields, field, i18n.language) })} close={close}>
      <div ref={panel} tabIndex={-1}>
        <p className="muted small">{t('columns.values.hint')}</p>
        <ul className={styles.values} data-testid="values">
          {values.map((value) => (
            <ValueRow key={value.text} id={view.id} field={field} value={value} />
          ))}
        </ul>
        {(found.data?.more ?? 0) > 0 && (
          <p className="muted small">{t('columns.values.more', { count: found.data?.more, shown: number(found.data?.more ?? 0) })}</p>
        )}
      </div>
    </DetailPanel>
  );
}

function ValueRow({ id, field, value }: { id: number; field: string; value: FieldValue }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { apply } = useImport();
  const setReplacement = (text: string) => {
    const to = text.trim() === '' ? null : text;
    if (to !== value.to) void apply(commands.importChange(id, { change: 'value', field, from: value.text, to }));
  };
  return (
    <li data-wrong={value.wrong !== null}>
      <span className={styles.valueText}>
        {value.wrong && <SeveritySign severity="error" />} {value.text}
        <span className="muted small number"> × {number(value.count)}</span>
        {value.wrong && <span className="muted small"> {t(`kinds.${value.wrong}`)}</span>}
      </span>
      <TextInput
        key={value.to ?? ''}
        aria-label={t('columns.values.instead', { value: value.text })}
        placeholder={t('columns.values.asItIs')}
        defaultValue={value.to ?? ''}
        onBlur={(event) => setReplacement(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && setReplacement(event.currentTarget.value)}
        size="xs"
        data-testid={`value-${value.text}`}
      />
    </li>
  );
}

const INITIAL_ROWS = 150;

/** The columns step, which matches columns to fields. Uncertain matches are listed first. */
export function ColumnsStep({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  // The order is set once when the step opens, so that rows don't move under the pointer.
  const [groups] = useState(() => groupColumns(view.columns));
  const [all, setAll] = useState(false);
  const [values, setValues] = useState<string | null>(null);
  const now = new Map(view.columns.map((column) => [column.index, column]));
  const matched = view.columns.filter((column) => column.matched).length;
  const fileColumns = view.columns.filter((column) => !column.own).length;
  return (
    <div className={styles.middle}>
      <div className={styles.outer} tabIndex={-1}>
        <TextAmbiguities view={view} />
        <MappingNotes view={view} />
        <ContestedFields view={view} />
        {view.missing.length > 0 && <MissingFields view={view} />}
        <p className="hidden" role="status">
          {t('columns.count', { count: fileColumns, matched: number(matched), columns: number(fileColumns) })}
        </p>
        <div className={view.columns.length > INITIAL_ROWS ? `${styles.table} ${styles.many}` : styles.table} role="table" aria-label={t('columns.table')}>
          <div className={styles.headings} role="row">
            <span role="columnheader">{t('columns.column')}</span>
            <span role="columnheader">{t('columns.samples')}</span>
            <span role="columnheader">{t('columns.why')}</span>
            <span role="columnheader">{t('columns.field')}</span>
          </div>
          {limitGroups(groups, all ? Infinity : INITIAL_ROWS).map(({ group, columns, total }) => (
            <div key={group} role="rowgroup" aria-label={t(`columns.groups.${group}`)}>
              <GroupTitle group={group} count={total} />
              {columns.map((index) => {
                const column = now.get(index);
                return column ? <ColumnMatchRow key={index} view={view} column={column} openValues={setValues} /> : null;
              })}
            </div>
          ))}
        </div>
        <ConstantForm view={view} />
        {view.columns.length > INITIAL_ROWS && !all && (
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            {t('columns.showAll', { count: view.columns.length })}
          </Button>
        )}
      </div>
      {values && <ValuesPanel key={values} view={view} field={values} close={() => setValues(null)} />}
    </div>
  );
}

function GroupTitle({ group, count }: { group: Group; count: number }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <div className={styles.group} role="row">
      <span role="cell">
        {group === 'unsure' && <SeveritySign severity="warning" />} {t(`columns.groups.${group}`)}{' '}
        <span className="muted number">{number(count)}</span>
      </span>
    </div>
  );
}
