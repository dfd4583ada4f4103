import { Button, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations, useSite } from '@/base/appState';
import { useRowLinks } from '@/base/links/useValueLinks';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { type Row, type RowPlace, isCode, isRow } from '@/base/values/cells';
import { CopyButton } from '@/components/controls/CopyButton';
import { Provenance } from '@/components/marks/Provenance';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { DetailPanel } from '@/components/page/DetailPanel';
import { ChangeMenu } from '@/features/rows';
import { type Field, type Value as JsonValue, type Operation, type WholeRow, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { DetailParts } from './DetailParts';
import { DetailValue } from './DetailValue';
import { type Cuts, type Meaning, appendPointer, lockedPropertyLists, toCuts } from './rowDetail';
import styles from './rowDetail.module.css';

type Props = { operation: Operation; set: number; at: RowPlace; close: () => void };

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
  const meaning = useMeaning(operation);
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
      {error && <ProblemNote problem={toProblem(error)} quiet />}
      {row && data && (form === 'fields' ? <Fields key={position} operation={operation} row={row} cuts={toCuts(data.cuts, set, position)} meaning={meaning} path={path} /> : <Json data={data} />)}
    </DetailPanel>
  );
}

function useMeaning(operation: Operation): Meaning {
  const places = useRowLinks(operation);
  const operations = useOperations();
  const reserved = useSite()?.site.reservedPrefix ?? '';
  return useMemo(() => ({ places, properties: lockedPropertyLists(operations), reserved }), [places, operations, reserved]);
}

type MembersProps = { fields: Field[]; row: Row; keys: readonly string[]; path: string; cuts: Cuts; meaning: Meaning };

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
        <Nested key={field.name} field={field} value={row[field.name]} path={appendPointer(path, field.name)} cuts={cuts} meaning={meaning} />
      ))}
    </>
  );
}

type NestedProps = { field: Field; value: JsonValue | undefined; path: string; cuts: Cuts; meaning: Meaning };

function Nested({ field, value, path, cuts, meaning }: NestedProps) {
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

type FieldsProps = { operation: Operation; row: Row; cuts: Cuts; meaning: Meaning; path: string };

function Fields({ operation, row, cuts, meaning, path }: FieldsProps) {
  const { t } = useTranslation();
  const container = useRef<HTMLDivElement>(null);
  // If the focused cell is a list's count, scroll to that list.
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

function Json({ data }: { data: WholeRow }) {
  const { t } = useTranslation();
  const [whole, setWhole] = useState(false);
  const text = JSON.stringify(data.row, null, 2);
  const front = 20_000;
  return (
    <div className={styles.json}>
      <CopyButton wide value={text} label={t('detail.copyJson')} />
      {data.cuts.length > 0 && <p className="muted small">{t('detail.cut')}</p>}
      <pre data-testid="detail-json">{whole ? text : text.slice(0, front)}</pre>
      {!whole && text.length > front && (
        <Button size="compact-xs" variant="subtle" onClick={() => setWhole(true)}>
          {t('detail.more')}
        </Button>
      )}
    </div>
  );
}
