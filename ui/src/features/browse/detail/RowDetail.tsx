import { Button, SegmentedControl, Tooltip } from '@mantine/core';
import { IconLock, IconShieldLock } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Fragment, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations, useSite } from '@/base/appState';
import { useRowLinks } from '@/base/links/useValueLinks';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { type Row, type FocusedRow, cellText, isCode, isRow, toRows } from '@/base/values/cells';
import { useCellFormats } from '@/base/values/useCellFormats';
import { CopyButton } from '@/components/controls/CopyButton';
import { Provenance } from '@/components/marks/Provenance';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { DetailPanel } from '@/components/page/DetailPanel';
import { CodeLink } from '@/components/values/CodeLink';
import { Markup } from '@/components/values/Markup';
import { PartsTable, alignmentClass, innerCellClass } from '@/components/values/PartsTable';
import { ChangeMenu } from '@/features/rows';
import { type Field, type Value as JsonValue, type Operation, type WholeRow, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { type TruncatedValues, type DetailContext, appendPointer, fieldPath, lockedPropertyLists, propertiesOf, toTruncatedValues } from './rowDetail';
import styles from './rowDetail.module.css';

type Props = { operation: Operation; set: number; at: FocusedRow; close: () => void };

/** One row with all its members, as fields or as JSON. */
export function RowDetail({ operation, set, at: { position, path }, close }: Props) {
  const { t } = useTranslation();
  const [form, setForm] = useState('fields');
  const { data, error } = useQuery({
    queryKey: queryKeys.row(set, position),
    queryFn: () => commands.browseRow(set, position),
    gcTime: 0,
    retry: false,
    placeholderData: (before) => before,
  });
  const context = useDetailContext(operation);
  const row = isRow(data?.row) ? data.row : null;
  const title = row ? operation.key.map((member) => row[member]).filter((part) => typeof part === 'string' || typeof part === 'number') : [];
  return (
    <DetailPanel title={title.length > 0 ? <code>{title.join(' · ')}</code> : t('browse.detail')} close={close}>
      <div className={styles.tools}>
        <SegmentedControl
          size="xs"
          aria-label={t('detail.form')}
          value={form}
          onChange={setForm}
          data={[
            { value: 'fields', label: t('detail.fields') },
            { value: 'json', label: t('detail.json') },
          ]}
          data-testid="detail-form"
        />
        <ChangeMenu list={operation.id} set={set} positions={[position]} size="xs" testId="detail-change" />
      </div>
      {error && <ProblemNote problem={toProblem(error)} isSubtle />}
      {row && data && (form === 'fields' ? <RowFields key={position} operation={operation} row={row} cuts={toTruncatedValues(data.cuts, set, position)} meaning={context} path={path} /> : <RowJson data={data} />)}
    </DetailPanel>
  );
}

function useDetailContext(operation: Operation): DetailContext {
  const places = useRowLinks(operation);
  const operations = useOperations();
  const reserved = useSite()?.site.reservedPrefix ?? '';
  return useMemo(() => ({ places, properties: lockedPropertyLists(operations), reserved }), [places, operations, reserved]);
}

type DetailValueProps = { field: Field; value: JsonValue | undefined; path: string; cuts: TruncatedValues; meaning: DetailContext };

/** One value. Markup is rendered, and a code that names an item is a link. */
function DetailValue({ field, value, path, cuts, meaning }: DetailValueProps) {
  const words = useCellFormats();
  const text = cellText(value, field, words);
  if (text === '') return '–';
  // A part's field can have the same name as a field of the row, so links are found by path.
  const place = meaning.places.get(fieldPath(path))?.(text);
  if (place) return <CodeLink text={text} place={place} />;
  if (typeof value !== 'string' || field.kind !== 'text') return text;
  if (cuts.lengths.has(path)) return <LongText beginning={value} path={path} cuts={cuts} />;
  return <Markup text={value} />;
}

/** `from` is the offset in bytes. */
type TextPiece = { from: number; text: string };

/** A text that was loaded only in part. The rest is loaded on demand. */
function LongText({ beginning, path, cuts }: { beginning: string; path: string; cuts: TruncatedValues }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [pieces, setPieces] = useState<{ all: TextPiece[]; next: number | null }>({ all: [{ from: 0, text: beginning }], next: new Blob([beginning]).size });
  const more = useMutation({
    mutationFn: (from: number) => commands.browseText(cuts.set, cuts.position, path, from),
    onSuccess: ({ text, next: after }, from) => setPieces((now) => ({ all: [...now.all, { from, text }], next: after })),
    onError: showProblemNotice,
  });
  const { next } = pieces;
  return (
    <>
      <span className={styles.long} role="region" tabIndex={0}>
        {pieces.all.map(({ from, text }) => (
          // Separate blocks keep the finished layout when more text is loaded.
          <span key={from} className={styles.piece}>
            {text}
          </span>
        ))}
      </span>
      {next !== null && (
        <Button size="compact-xs" variant="subtle" disabled={more.isPending} onClick={() => more.mutate(next)} data-testid="text-more">
          {t('detail.moreText', { shown: number(pieces.all.reduce((sum, { text }) => sum + text.length, 0)), of: number(cuts.lengths.get(path) ?? 0) })}
        </Button>
      )}
    </>
  );
}

type MembersProps = { fields: Field[]; row: Row; keys: readonly string[]; path: string; cuts: TruncatedValues; meaning: DetailContext };

/** A part's members: plain ones as names and values, nested ones below. */
function Members({ fields, row, keys, path, cuts, meaning }: MembersProps) {
  const { name } = useFormats();
  const plain = fields.filter((field) => field.kind !== 'list' && !(isRow(row[field.name]) && field.kind === 'object'));
  const nested = fields.filter((field) => !plain.includes(field));
  return (
    <>
      <dl className={styles.members}>
        {plain.map((field) => (
          <div key={field.name}>
            <dt>
              <Provenance of={field}>
                {name(field) || field.name}
              </Provenance>
            </dt>
            <dd className={isCode(field, keys) ? 'mono' : 'number'}>
              <DetailValue field={field} value={row[field.name]} path={appendPointer(path, field.name)} cuts={cuts} meaning={meaning} />
            </dd>
          </div>
        ))}
      </dl>
      {nested.map((field) => (
        <NestedValue key={field.name} field={field} value={row[field.name]} path={appendPointer(path, field.name)} cuts={cuts} meaning={meaning} />
      ))}
    </>
  );
}

type DetailPartsProps = { field: Field; value: JsonValue | undefined; path: string; cuts: TruncatedValues; meaning: DetailContext };

/** A nested list as a small table, without empty columns. */
function DetailParts({ field, value, path, cuts, meaning }: DetailPartsProps) {
  const { t } = useTranslation();
  const { name, number } = useFormats();
  const label = name(field) || field.name;
  const list = Array.isArray(value) ? value : [];
  // Parts have no key, so their index in the list is used.
  const rows = toRows(list).map((part, place) => ({ part, place: String(place) }));
  const totalParts = cuts.lengths.get(path) ?? rows.length;
  return (
    <div data-part={path}>
      <h2 className={styles.partTitle}>
        {label} <span className="muted number">{number(totalParts)}</span>
      </h2>
      {rows.length === 0 ? (
        <p className="muted small">{t('browse.none')}</p>
      ) : (
        <PartRows field={field} label={label} rows={rows} path={path} cuts={cuts} meaning={meaning} />
      )}
      {totalParts > rows.length && <p className="muted small">{t('detail.partsOf', { shown: number(rows.length), of: number(totalParts) })}</p>}
    </div>
  );
}

type PropertyMarksProps = { code: JsonValue | undefined; locked: boolean; reserved: string };

/** Marks next to a property's key: locked, and reserved for the service. */
function PropertyMarks({ code, locked, reserved }: PropertyMarksProps) {
  const { t } = useTranslation();
  const isReserved = reserved !== '' && typeof code === 'string' && code.startsWith(reserved);
  return (
    <>
      {locked && (
        <Tooltip label={t('detail.locked')}>
          <IconLock size={13} className={styles.mark} role="img" aria-label={t('detail.locked')} data-testid="property-locked" />
        </Tooltip>
      )}
      {isReserved && (
        <Tooltip label={t('detail.reserved')}>
          <IconShieldLock size={13} className={styles.mark} role="img" aria-label={t('detail.reserved')} data-testid="property-reserved" />
        </Tooltip>
      )}
    </>
  );
}

type RowsProps = { field: Field; label: string; rows: { part: Row; place: string }[]; path: string; cuts: TruncatedValues; meaning: DetailContext };

function PartRows({ field, label, rows, path, cuts, meaning }: RowsProps) {
  const properties = propertiesOf(field, meaning);
  // The lock member isn't a column, because it is shown as a mark next to the property's key.
  const filled = field.fields.filter((inner) => inner.name !== properties?.lock).filter((inner) => rows.some(({ part }) => !isEmpty(part[inner.name])));
  const plain = filled.filter(({ kind }) => kind !== 'list');
  const lists = filled.filter(({ kind }) => kind === 'list');
  return (
    <PartsTable label={label} fields={plain}>
      {rows.map(({ part, place }) => (
        <Fragment key={place}>
          <tr>
            {plain.map((inner) => (
              <td key={inner.name} className={alignmentClass(inner) ?? (isCode(inner, []) ? 'mono' : undefined)}>
                <DetailValue field={inner} value={part[inner.name]} path={appendPointer(appendPointer(path, place), inner.name)} cuts={cuts} meaning={meaning} />
                {inner.name === properties?.key && <PropertyMarks code={part[inner.name]} locked={part[properties.lock] === true} reserved={meaning.reserved} />}
              </td>
            ))}
          </tr>
          {lists
            .filter((inner) => !isEmpty(part[inner.name]))
            .map((inner) => (
              <tr key={inner.name}>
                <td colSpan={plain.length} className={`${innerCellClass} ${styles.inner}`}>
                  <DetailParts field={inner} value={part[inner.name]} path={appendPointer(appendPointer(path, place), inner.name)} cuts={cuts} meaning={meaning} />
                </td>
              </tr>
            ))}
        </Fragment>
      ))}
    </PartsTable>
  );
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

type NestedProps = { field: Field; value: JsonValue | undefined; path: string; cuts: TruncatedValues; meaning: DetailContext };

function NestedValue({ field, value, path, cuts, meaning }: NestedProps) {
  const { name } = useFormats();
  if (!isRow(value)) return <DetailParts field={field} value={value} path={path} cuts={cuts} meaning={meaning} />;
  const label = name(field) || field.name;
  return (
    <section aria-label={label}>
      <h2 className={styles.partTitle}>{label}</h2>
      <Members fields={field.fields} row={value} keys={[]} path={path} cuts={cuts} meaning={meaning} />
    </section>
  );
}

type FieldsProps = { operation: Operation; row: Row; cuts: TruncatedValues; meaning: DetailContext; path: string };

function RowFields({ operation, row, cuts, meaning, path }: FieldsProps) {
  const { t } = useTranslation();
  const container = useRef<HTMLDivElement>(null);
  // If the focused cell shows the number of a list's parts, scroll to that list.
  useEffect(() => {
    const parts = container.current?.querySelectorAll<HTMLElement>('[data-part]') ?? [];
    [...parts].find((part) => part.dataset.part === `/${path}`)?.scrollIntoView({ block: 'start' });
  }, [path]);
  const fields = operation.answer?.fields ?? [];
  const fieldNames = new Set(fields.map((field) => field.name));
  const unknown = Object.keys(row).filter((member) => !fieldNames.has(member));
  return (
    <div ref={container}>
      <Members fields={fields} row={row} keys={operation.key} path="" cuts={cuts} meaning={meaning} />
      {unknown.length > 0 && (
        <>
          <h2 className={styles.partTitle}>{t('browse.unknownFields')}</h2>
          <dl className={styles.members}>
            {unknown.map((member) => (
              <div key={member}>
                <dt>{member}</dt>
                <dd className="mono">{typeof row[member] === 'string' ? row[member] : JSON.stringify(row[member])}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </div>
  );
}

function RowJson({ data }: { data: WholeRow }) {
  const { t } = useTranslation();
  const [isComplete, setComplete] = useState(false);
  const text = JSON.stringify(data.row, null, 2);
  const maxLength = 20_000;
  return (
    <div className={styles.json}>
      <CopyButton wide value={text} label={t('detail.copyJson')} />
      {data.cuts.length > 0 && <p className="muted small">{t('detail.cut')}</p>}
      <pre data-testid="detail-json">{isComplete ? text : text.slice(0, maxLength)}</pre>
      {!isComplete && text.length > maxLength && (
        <Button size="compact-xs" variant="subtle" onClick={() => setComplete(true)}>
          {t('detail.more')}
        </Button>
      )}
    </div>
  );
}
