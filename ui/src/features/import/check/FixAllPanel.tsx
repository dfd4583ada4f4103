import { Autocomplete, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { DetailPanel } from '@/components/page/DetailPanel';
import { usePanel } from '@/components/page/usePanel';
import { useImport } from '@/features/import-session';
import {
  type FindingCode,
  type FindingKind,
  type FindingValue,
  type Fix,
  type FormatKind,
  type FoundFix,
  type ImportView,
  type TextChange,
  commands,
} from '@/ipc/bindings';
import { ColumnFormats } from '../columns/ColumnFormats';
import { fieldName } from '../common/fieldNames';
import type { Fixes } from './useFixes';
import styles from './fix.module.css';

/** Returns the replacements that were typed or suggested. Empty and unchanged inputs are skipped. */
export function replacementsOf(values: readonly FindingValue[], typed: Readonly<Record<string, string>>): (TextChange & { count: number })[] {
  return values.flatMap(({ text, count }) => {
    const to = (typed[text] ?? '').trim();
    return to === '' || to === text ? [] : [{ from: text, to, count }];
  });
}

/** Whether a finding concerns rows with the same key. Then the first row can be kept. */
function isAboutKey(code: FindingCode): boolean {
  return code === 'duplicate-key';
}

/** Returns the fixes that need no input. They apply to all cells with the finding. */
function automaticFixes(code: FindingCode): readonly (keyof typeof FIX_LOCALE_KEYS)[] {
  if (code === 'invisible-character') return ['remove-invisible'];
  return code === 'repeated-time' ? ['first-offset', 'second-offset'] : [];
}

/** Locale keys in `fix.all` by fix. */
const FIX_LOCALE_KEYS = {
  'remove-invisible': 'removeInvisible',
  'first-offset': 'firstOffset',
  'second-offset': 'secondOffset',
} as const satisfies Record<Exclude<FoundFix, 'remove-unit'>, string>;

/** The formats that decide about a finding. */
const FORMAT_KINDS: Partial<Record<FindingCode, readonly FormatKind[]>> = {
  'ambiguous-number': ['decimals'],
  'mixed-numbers': ['decimals'],
  'not-a-number': ['negatives'],
  'not-an-integer': ['negatives', 'decimals'],
  'ambiguous-date': ['date-order'],
  'mixed-dates': ['date-order'],
  'week-without-day': ['week-day'],
  'duration-without-unit': ['duration-unit'],
};

type Props = { view: ImportView; kind: FindingKind; fixes: Fixes; close: () => void };

/** Fixes all findings of one kind: replaces texts in all their cells, or excludes all their rows. */
export function FixAllPanel({ view, kind, fixes, close }: Props) {
  const { t, i18n } = useTranslation();
  const { number } = useFormats();
  const panel = usePanel<HTMLDivElement>(close);
  const { goToStep } = useImport();
  const [typed, setTyped] = useState<Record<string, string>>({});
  const found = useQuery({
    queryKey: queryKeys.findingValues(view, kind),
    queryFn: () => commands.importFindingValues(view.id, kind),
    placeholderData: (before) => before,
  }).data;
  const field = view.fields.find((one) => one.path === kind.field);
  const name = kind.field ? fieldName(view.fields, kind.field, i18n.language) : null;
  const { column = null, values = [], rows = 0, later = 0, more = 0, unit = null } = found ?? {};
  const formatKinds = FORMAT_KINDS[kind.code] ?? [];
  // If the column's format is ambiguous, choosing the format fixes all cells of the column.
  const ambiguousColumn = view.columns.find(
    (one) => one.index === column && one.formats.some((format) => format.verdict === 'ambiguous' && formatKinds.includes(format.kind)),
  );
  const changes = replacementsOf(values, typed);
  const cells = changes.reduce((sum, one) => sum + one.count, 0);
  const exclude = (keepFirst: boolean): Fix => ({ kind: 'exclude-found', finding: kind, keep_first: keepFirst });
  return (
    <DetailPanel title={t('fix.all.title', { kind: t(`kinds.${kind.code}`) })} close={close}>
      <div ref={panel} tabIndex={-1}>
        {name && <p className="muted">{name}</p>}
        {found && rows === 0 && <p role="status">{t('fix.all.done')}</p>}
        {ambiguousColumn && (
          <div className={styles.open} data-testid="found-format">
            <ColumnFormats id={view.id} column={ambiguousColumn} kinds={formatKinds} />
          </div>
        )}
        {column !== null && values.length > 0 && (
          <form
            className={styles.all}
            onSubmit={(event) => {
              event.preventDefault();
              fixes.fix({ kind: 'replace-many', column, texts: changes.map(({ from, to }) => ({ from, to })) });
              setTyped({});
            }}
          >
            <p className="muted small">{t('fix.all.hint')}</p>
            <ul className={styles.texts} data-testid="found-values">
              {values.map((value) => (
                <FindingTextRow
                  key={value.text}
                  value={value}
                  choices={field?.kind === 'boolean' ? ['true', 'false'] : (field?.allowed ?? [])}
                  to={typed[value.text] ?? ''}
                  change={(to) => setTyped((now) => ({ ...now, [value.text]: to }))}
                />
              ))}
            </ul>
            {more > 0 && <p className="muted small">{t('columns.values.more', { count: more, shown: number(more) })}</p>}
            <Button type="submit" size="xs" disabled={changes.length === 0} data-testid="found-replace">
              {t('fix.all.replace', { count: cells })}
            </Button>
          </form>
        )}
        {kind.code === 'required' && found?.column === null && rows > 0 && (
          <div className={styles.all}>
            <p>{t('fix.all.noColumn')}</p>
            <Button size="xs" onClick={() => goToStep('columns')} data-testid="found-columns">
              {t('fix.all.columns')}
            </Button>
          </div>
        )}
        <div className={styles.leaving}>
          {rows > 0 &&
            automaticFixes(kind.code).map((way) => (
              <Button
                key={way}
                size="xs"
                onClick={() => fixes.fix({ kind: 'fix-found', finding: kind, way })}
                data-testid={`found-${way}`}
              >
                {t(`fix.all.${FIX_LOCALE_KEYS[way]}`, { count: rows })}
              </Button>
            ))}
          {unit && (
            <Button size="xs" onClick={() => fixes.fix({ kind: 'fix-found', finding: kind, way: 'remove-unit' })} data-testid="found-remove-unit">
              {t('fix.all.removeUnit', { count: unit.count, unit: unit.unit })}
            </Button>
          )}
          {isAboutKey(kind.code) && later > 0 && (
            <Button size="xs" variant="default" onClick={() => fixes.fix(exclude(true))} data-testid="found-keep-first">
              {t('fix.all.keepFirst', { count: later })}
            </Button>
          )}
          {rows > 0 && (
            <Button size="xs" variant="default" onClick={() => fixes.fix(exclude(false))} data-testid="found-exclude">
              {t('fix.all.exclude', { count: rows })}
            </Button>
          )}
      </div>
      </div>
    </DetailPanel>
  );
}

/** Maximum number of buttons with suggestions per text. */
const MAX_SUGGESTION_BUTTONS = 3;

type TextProps = { value: FindingValue; choices: string[]; to: string; change: (to: string) => void };

function FindingTextRow({ value, choices, to, change }: TextProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const text = value.text || t('fix.all.empty');
  // If one value is clearly meant, the others are only in the list.
  const suggestions = value.suggestion === null ? value.suggestions.slice(0, MAX_SUGGESTION_BUTTONS) : [value.suggestion];
  return (
    <li>
      <span className={styles.from}>
        {value.text ? <span>{value.text}</span> : <span className="muted">{text}</span>}
        <span className="muted small number"> × {number(value.count)}</span>
      </span>
      <Autocomplete
        aria-label={t('columns.values.instead', { value: text })}
        placeholder={t('fix.all.becomes')}
        data={[...new Set([...value.suggestions, ...choices])]}
        value={to}
        onChange={change}
        size="xs"
        data-testid={`found-${value.text}`}
      />
      {/* The buttons stay after a choice, so that the next text's buttons don't move under the pointer. */}
      {suggestions.map((suggestion) => (
        <Button
          key={suggestion}
          className={styles.suggested}
          variant={suggestion === to ? 'light' : 'subtle'}
          aria-pressed={suggestion === to}
          size="compact-xs"
          onClick={() => change(suggestion)}
          data-testid={`suggested-${value.text}`}
        >
          {t('fix.suggestion', { value: suggestion })}
        </Button>
      ))}
    </li>
  );
}
