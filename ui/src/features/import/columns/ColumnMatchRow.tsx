import { ActionIcon, Button, Menu, Select, TextInput } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { type ColumnView, type FieldView, type FindingCode, type ImportView, commands } from '@/ipc/bindings';
import { useFormats } from '@/base/useFormats';
import { SeveritySign } from '@/components/marks/StatusMarks';

import { fieldName } from '../common/fieldNames';
import { ColumnFormats } from './ColumnFormats';
import { JoinForm } from './JoinForm';
import { joinsOf } from './joins';
import styles from './columns.module.css';

/** Findings that can't be fixed by replacing the cell's value. */
const NOT_FIXABLE_BY_VALUE: ReadonlySet<FindingCode> = new Set(['required', 'duplicate-key', 'group-disagrees', 'not-before', 'formula-without-value']);

/** Opens the column's distinct values. The label counts cells that can't be sent. */
function ValuesButton({ view, column, open }: { view: ImportView; column: ColumnView; open: () => void }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const field = column.matched?.field;
  const facets = view.facets.filter(
    (facet) => facet.field === field && facet.severity === 'error' && !NOT_FIXABLE_BY_VALUE.has(facet.code),
  );
  const wrongCells = facets.reduce((sum, facet) => sum + facet.count, 0);
  const toFix = wrongCells > 0 ? t('columns.values.wrong', { count: wrongCells, shown: number(wrongCells) }) : undefined;
  return (
    <Button
      className={styles.seeValues}
      size="compact-xs"
      variant="subtle"
      onClick={open}
      title={toFix}
      leftSection={toFix ? <SeveritySign severity="error" /> : null}
      rightSection={toFix ? <span className="number">{number(wrongCells)}</span> : null}
      data-testid={`values-${column.letter}`}
    >
      {t('columns.values.see')}
      <span className="hidden"> {[column.heading || column.letter, toFix].filter(Boolean).join(': ')}</span>
    </Button>
  );
}

type ColumnExtra = 'also' | 'property' | 'join';
type ColumnMenuProps = { view: ImportView; column: ColumnView; add: (what: ColumnExtra) => void; openValues: (field: string) => void };

/** Menu of additional rules for a column. Rules that don't apply aren't listed. */
function ColumnMenu({ view, column, add, openValues }: ColumnMenuProps) {
  const { t } = useTranslation();
  const { apply } = useImport();
  const heading = column.heading || t('columns.noHeading');
  const field = view.fields.find((one) => one.path === column.matched?.field);
  if (!field && !view.propertyList) return null;
  const blank = field?.blank === 'clear' ? 'leave' : 'clear';
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="petrol" aria-label={t('columns.menu.open', { column: heading })} data-testid={`menu-${column.letter}`}>
          <IconDots size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {field && <Menu.Item onClick={() => openValues(field.path)}>{t('columns.menu.values')}</Menu.Item>}
        {field && <Menu.Item onClick={() => add('also')}>{t('columns.menu.also')}</Menu.Item>}
        {field?.kind === 'text' && <Menu.Item onClick={() => add('join')}>{t('columns.menu.join')}</Menu.Item>}
        {view.propertyList && <Menu.Item onClick={() => add('property')}>{t('columns.menu.property')}</Menu.Item>}
        {field?.clearable && (
          <Menu.Item
            onClick={() => void apply(commands.importChange(view.id, { change: 'blank', field: field.path, rule: blank }))}
            data-testid={`blank-${column.letter}`}
          >
            {t(`columns.menu.${blank}`)}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Moves the focus to an input when the user adds it. */
const focusOnce = (node: HTMLInputElement | null) => node?.focus();

type ColumnExtrasProps = { view: ImportView; column: ColumnView; adding: ColumnExtra | null; done: () => void };

/** A column's additional rules, each removable, and the form that adds one. */
function ColumnExtras({ view, column, adding, done }: ColumnExtrasProps) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const { matched, also } = column;
  const field = view.fields.find((one) => one.path === matched?.field);
  const setFields = (fields: string[]) => {
    done();
    void apply(commands.importChange(view.id, { change: 'fields', column: column.index, fields }));
  };
  const ownFields = matched ? [matched.field, ...also] : [];
  return (
    <>
      {also.map((path) => (
        <span key={path} className={styles.extra}>
          {t('columns.extra.also', { field: fieldName(view.fields, path, i18n.language) })}
          <RemoveButton remove={() => setFields(ownFields.filter((one) => one !== path))} />
        </span>
      ))}
      {joinsOf(view, column.index).map((path) => (
        <span key={path} className={styles.extra} data-testid={`joined-${column.letter}`}>
          {t('columns.extra.part', { field: fieldName(view.fields, path, i18n.language) })}
        </span>
      ))}
      {field?.blank === 'clear' && <span className={styles.extra}>{t('columns.extra.clear')}</span>}
      {(field?.replaced ?? 0) > 0 && <span className={styles.extra}>{t('columns.extra.replaced', { count: field?.replaced })}</span>}
      {adding === 'also' && (
        <Select
          aria-label={t('columns.menu.also')}
          data={view.fields.filter((one) => !ownFields.includes(one.path)).map((one) => fieldOption(view.fields, one, i18n.language))}
          onChange={(path) => path && setFields([...ownFields, path])}
          searchable
          ref={focusOnce}
          size="xs"
        />
      )}
      {adding === 'property' && view.propertyList && (
        <PropertyKeyForm heading={column.heading} onSubmit={(key) => setFields([`${view.propertyList}[${key}]`])} />
      )}
      {adding === 'join' && field && <JoinForm view={view} field={field.path} columns={[column.index]} done={done} />}
    </>
  );
}

function RemoveButton({ remove }: { remove: () => void }) {
  const { t } = useTranslation();
  return (
    <Button size="compact-xs" variant="subtle" onClick={remove}>
      {t('columns.extra.takeBack')}
    </Button>
  );
}

function PropertyKeyForm({ heading, onSubmit }: { heading: string; onSubmit: (key: string) => void }) {
  const { t } = useTranslation();
  const [key, setKey] = useState(heading);
  return (
    <span className={styles.extra}>
      <TextInput
        label={t('columns.extra.propertyKey')}
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && key.trim() && onSubmit(key.trim())}
        ref={focusOnce}
        size="xs"
      />
      <Button size="xs" variant="default" disabled={!key.trim()} onClick={() => onSubmit(key.trim())}>
        {t('columns.extra.take')}
      </Button>
    </span>
  );
}

function fieldOption(fields: readonly FieldView[], field: FieldView, language: string) {
  return { value: field.path, label: fieldName(fields, field.path, language) };
}

type Props = { view: ImportView; column: ColumnView; openValues: (field: string) => void };

/** A column with its matched field, and the reasons for the match. */
export function ColumnMatchRow({ view, column, openValues }: Props) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const [adding, setAdding] = useState<ColumnExtra | null>(null);
  const heading = column.heading || t('columns.noHeading');
  const { matched } = column;
  const field = view.fields.find((one) => one.path === matched?.field);
  const provenance = field?.provenance;
  const hint = provenance === 'assumed' ? t('provenance.assumed') : provenance === 'site' ? t('provenance.site') : undefined;
  return (
    <div className={styles.row} role="row" data-matched={matched !== null} data-testid={`column-${column.letter}`}>
      <span role="cell" className={styles.heading}>
        <code className={styles.letter}>{column.letter}</code>
        <span>{heading}</span>
      </span>
      <span role="cell" className={styles.some}>
        <span className={styles.samples} title={column.samples.join(' · ')}>
          {column.samples.map((sample) => (
            <span key={sample}>{sample}</span>
          ))}
        </span>
        {field && <ValuesButton view={view} column={column} open={() => openValues(field.path)} />}
      </span>
      <span role="cell" className={styles.why}>
        {matched && <span className={styles.line} data-sure={matched.reason !== 'similar'} aria-hidden />}
        {matched ? t(`columns.reasons.${matched.reason}`) : column.candidates.length > 0 ? t('columns.maybe') : ''}
        <ColumnFormats id={view.id} column={column} />
      </span>
      <span role="cell" className={styles.field}>
        <span className={styles.choice}>
          <Select
            aria-label={t('columns.fieldFor', { column: heading })}
            placeholder={t('columns.notImported')}
            data={fieldOptions(view, column, i18n.language, t('columns.suggested'), t('columns.others'))}
            value={matched?.field ?? null}
            onChange={(path) => void apply(commands.importMatch(view.id, column.index, path))}
            size="xs"
            classNames={{ input: field?.provenance === 'assumed' ? styles.assumed : undefined }}
            title={hint}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': t('columns.clear', { column: heading }) }}
            nothingFoundMessage={t('common.nothing')}
            maxDropdownHeight={320}
            data-testid={`match-${column.letter}`}
          />
          <ColumnMenu view={view} column={column} add={setAdding} openValues={openValues} />
        </span>
        <ColumnExtras view={view} column={column} adding={adding} done={() => setAdding(null)} />
      </span>
    </div>
  );
}

function fieldOptions(view: ImportView, column: ColumnView, language: string, suggested: string, others: string) {
  const columnByField = new Map(view.columns.flatMap((one) => (one.matched ? [[one.matched.field, one.letter] as const] : [])));
  const item = (path: string) => {
    const field = view.fields.find((one) => one.path === path);
    const holder = columnByField.get(path);
    const by = holder && holder !== column.letter ? ` (${holder})` : '';
    return { value: path, label: `${fieldName(view.fields, path, language)}${field?.required ? ' *' : ''}${by}` };
  };
  const first = column.candidates.map((one) => one.field);
  const rest = view.fields.map((one) => one.path).filter((path) => !first.includes(path));
  return [
    ...(first.length > 0 ? [{ group: suggested, items: first.map(item) }] : []),
    { group: others, items: rest.map(item) },
  ];
}
