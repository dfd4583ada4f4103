import { Button, MultiSelect, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useImport } from '@/features/import-session';
import { type ImportView, commands } from '@/ipc/bindings';
import { fieldName } from '../common/fieldNames';
import { joinedSample } from './joins';
import styles from './columns.module.css';

const SEPARATORS = [
  [' ', 'columns.join.space'],
  ['', 'columns.join.nothing'],
  ['-', 'columns.join.hyphen'],
  ['/', 'columns.join.slash'],
  [', ', 'columns.join.comma'],
] as const;
const OTHER_SEPARATOR = 'other';

type Props = { view: ImportView; field: string; columns: number[]; initialSeparator?: string; done: () => void };

/** Joins several columns into one field: their texts in the order of selection, with a separator. */
export function JoinForm({ view, field, columns, initialSeparator = ' ', done }: Props) {
  const { t, i18n } = useTranslation();
  const { apply } = useImport();
  const [chosen, setChosen] = useState(() => columns.map(String));
  const [choice, setChoice] = useState(() => (SEPARATORS.some(([value]) => value === initialSeparator) ? initialSeparator : OTHER_SEPARATOR));
  const [typedSeparator, setTypedSeparator] = useState(initialSeparator);
  const separator = choice === OTHER_SEPARATOR ? typedSeparator : choice;
  const indices = chosen.map(Number);
  const sample = joinedSample(view, indices, separator);
  const name = fieldName(view.fields, field, i18n.language);
  return (
    <form
      className={styles.join}
      aria-label={t('columns.join.title', { field: name })}
      data-testid="join"
      onSubmit={(event) => {
        event.preventDefault();
        done();
        void apply(commands.importChange(view.id, { change: 'joined', field, columns: indices, with: separator }));
      }}
    >
      <MultiSelect
        label={t('columns.join.columns')}
        data={view.columns
          .filter((one) => !one.own)
          .map((one) => ({ value: String(one.index), label: `${one.letter} · ${one.heading || t('columns.noHeading')}` }))}
        value={chosen}
        onChange={setChosen}
        searchable
        nothingFoundMessage={t('common.nothing')}
        size="xs"
        data-autofocus
        data-testid="join-columns"
      />
      <div className={styles.between}>
        <NativeSelect
          label={t('columns.join.with')}
          data={[...SEPARATORS.map(([value, label]) => ({ value, label: t(label) })), { value: OTHER_SEPARATOR, label: t('columns.join.other') }]}
          value={choice}
          onChange={(event) => setChoice(event.currentTarget.value)}
          size="xs"
          data-testid="join-with"
        />
        {choice === OTHER_SEPARATOR && (
          <TextInput
            aria-label={t('columns.join.other')}
            value={typedSeparator}
            onChange={(event) => setTypedSeparator(event.currentTarget.value)}
            size="xs"
            data-testid="join-own"
          />
        )}
      </div>
      {sample && (
        <output className="muted small" data-testid="join-sample">
          {t('columns.join.sample', { text: sample })}
        </output>
      )}
      <span className={styles.buttons}>
        <Button type="submit" size="xs" disabled={chosen.length < 2} data-testid="join-do">
          {t('columns.join.do', { count: chosen.length })}
        </Button>
        <Button size="xs" variant="subtle" onClick={done}>
          {t('common.cancel')}
        </Button>
      </span>
    </form>
  );
}
