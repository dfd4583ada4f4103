import { Button, Checkbox, NativeSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { RadioOption } from '@/components/controls/RadioOption';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type Field, type ImportView, type Operation, type Proposal, type RowChoice, type StepPart, commands } from '@/ipc/bindings';
import { useImport } from '@/features/import-session';
import { toProblem } from '@/ipc/problem';

import { PlanSheets } from './PlanSheets';
import { TextAmbiguities } from './TextAmbiguities';
import styles from './file.module.css';
import { PlainTable } from './PlainTable';

/** The first rows, from which the header row can be chosen. */
function HeadTable({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { apply } = useImport();
  const choice = (row: number) => (
    <label>
      <input
        type="radio"
        name="heading"
        checked={row === view.headerRow}
        onChange={() => void apply(commands.importHeader(view.id, row))}
        aria-label={t('file.headingRow', { row })}
        data-testid={`heading-${row}`}
      />
      <span className="number">{row}</span>
    </label>
  );
  return (
    <PlainTable
      rows={view.head}
      label={t('file.firstRows')}
      testId="head"
      headerRow={view.headerRow}
      number={choice}
    />
  );
}

const SEPARATORS = [
  [';', 'file.semicolon'],
  [',', 'file.comma'],
  ['\t', 'file.tab'],
  ['|', 'file.bar'],
  ['', 'file.oneColumn'],
] as const;

/** A text format that is being tried in the preview. */
type TextDraft = { encoding: string; separator: string; quotesAsText: boolean };

type FormatOptionsProps = { view: ImportView; draft: TextDraft | null; setDraft: (draft: TextDraft) => void };

/** Options for reading the file: encoding and separator of a text, hidden rows, a row of totals. */
function FormatOptions({ view, draft, setDraft }: FormatOptionsProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { apply } = useImport();
  const { encoding, separator, quotesAsText, encodings, headingRows, hiddenRows, hiddenColumns, totalsRow, choice } = view.reading;
  const isText = encoding !== null && separator !== null;
  const canGroup = view.headerRow !== null && view.headerRow > 1;
  if (!isText && !canGroup && hiddenRows === 0 && hiddenColumns.length === 0 && totalsRow === null) return null;
  const skipRows = (rows: RowChoice) => void apply(commands.importSkipRows(view.id, rows));
  const options = encodings.includes(encoding ?? '') || encoding === null ? encodings : [encoding, ...encodings];
  return (
    <fieldset className={styles.group}>
      <legend>{t('file.reading')}</legend>
      {isText && (
        <>
          <NativeSelect
            label={t('file.encoding')}
            data={options}
            value={draft?.encoding ?? encoding}
            onChange={(event) => setDraft({ separator, quotesAsText, ...draft, encoding: event.target.value })}
            className={styles.other}
            data-testid="encoding"
          />
          <NativeSelect
            label={t('file.separator')}
            data={SEPARATORS.map(([value, label]) => ({ value, label: t(label) }))}
            value={draft?.separator ?? separator}
            onChange={(event) => setDraft({ encoding, quotesAsText, ...draft, separator: event.target.value })}
            className={styles.other}
            data-testid="separator"
          />
          <Checkbox
            label={t('file.quotesAsText')}
            checked={draft?.quotesAsText ?? quotesAsText}
            onChange={(event) => setDraft({ encoding, separator, ...draft, quotesAsText: event.target.checked })}
            className={styles.other}
            data-testid="quotes-as-text-choice"
          />
        </>
      )}
      {canGroup && (
        <NativeSelect
          label={t('file.headingRows')}
          data={['1', '2', '3'].slice(0, view.headerRow ?? 1)}
          value={String(headingRows)}
          onChange={(event) => void apply(commands.importHeaderRows(view.id, Number(event.target.value)))}
          className={styles.other}
          data-testid="heading-rows"
        />
      )}
      {hiddenRows > 0 && (
        <Checkbox
          label={t('file.skipHidden', { count: hiddenRows, rows: number(hiddenRows) })}
          checked={choice.skipHidden}
          onChange={(event) => skipRows({ ...choice, skipHidden: event.target.checked })}
          className={styles.other}
          data-testid="skip-hidden"
        />
      )}
      {totalsRow !== null && (
        <Checkbox
          label={t('file.skipTotals', { row: totalsRow })}
          checked={!choice.keepTotals}
          onChange={(event) => skipRows({ ...choice, keepTotals: !event.target.checked })}
          className={styles.other}
          data-testid="skip-totals"
        />
      )}
      {hiddenColumns.length > 0 && (
        <p className="muted small">{t('file.hiddenColumns', { columns: hiddenColumns.join(', ') })}</p>
      )}
    </fieldset>
  );
}

type TextPreviewProps = { view: ImportView; draft: TextDraft; done: () => void };

/** Previews the first rows with another encoding or separator. */
function TextPreview({ view, draft, done }: TextPreviewProps) {
  const { t } = useTranslation();
  const { apply, busy } = useImport();
  const { encoding, separator, quotesAsText } = draft;
  const preview = useQuery({
    queryKey: queryKeys.textPreview(view.id, encoding, separator, quotesAsText),
    queryFn: () => commands.importPreviewText(view.id, draft),
    placeholderData: (before) => before,
    retry: false,
  });
  const applyDraft = async () => {
    await apply(commands.importText(view.id, draft));
    done();
  };
  return (
    <section className={styles.right} aria-labelledby="preview-title" data-testid="text-preview">
      <div className={styles.headline}>
        <h2 id="preview-title">{t('file.preview.title')}</h2>
        <span className="muted small">{t('file.preview.hint')}</span>
        <span className={styles.decide}>
          <Button size="xs" onClick={() => void applyDraft()} disabled={busy || preview.isError} data-testid="preview-take">
            {t('file.preview.take')}
          </Button>
          <Button size="xs" variant="subtle" onClick={done} data-testid="preview-leave">
            {t('file.preview.leave')}
          </Button>
        </span>
      </div>
      {preview.isError ? <ProblemNote problem={toProblem(preview.error)} /> : <PlainTable rows={preview.data ?? []} label={t('file.preview.title')} />}
    </section>
  );
}

const MAX_PROPOSALS = 3;

/** Selects the sheet with the items that this sheet's parts belong to. */
function PartChoices({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { apply } = useImport();
  const operations = useOperations();
  const chosenPart = view.steps.find((step) => step.sheet === view.sheet)?.part ?? null;
  const listName = (part: StepPart) => {
    const operation = view.steps.find((step) => step.sheet === part.of)?.operation;
    const fields = operations.find((one) => one.id === operation)?.request?.fields ?? [];
    const list = fields.find((field) => field.name === part.list);
    return list ? name(list) : part.list;
  };
  return view.parts.slice(0, MAX_PROPOSALS).map(({ part }) => (
    <RadioOption
      key={`${part.of} ${part.list}`}
      name="operation"
      checked={chosenPart?.of === part.of && chosenPart.list === part.list}
      onSelect={() => void apply(commands.importPart(view.id, part))}
      testId={`part-${part.of}-${part.list}`}
    >
      <span>{t('plan.part', { sheet: part.of, list: listName(part) })}</span>
    </RadioOption>
  ));
}

/** The proposed operations with reasons, and a choice. */
function OperationChoice({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { apply } = useImport();
  const operations = useOperations();
  const part = view.steps.find((step) => step.sheet === view.sheet)?.part ?? null;
  const proposals = view.proposals.slice(0, MAX_PROPOSALS);
  const isProposed = proposals.some((one) => one.operation === view.operation);
  const allOperations = operations.filter((one) => one.kind === 'sync' || one.kind === 'delete');
  const choose = (operation: string) => void apply(commands.importOperation(view.id, operation));
  return (
    <fieldset className={styles.group} data-testid="operation-choice">
      <legend>{t('file.operation')}</legend>
      {proposals.map((proposal) => (
        <RadioOption
          key={proposal.operation}
          name="operation"
          checked={proposal.operation === view.operation && !part}
          onSelect={() => choose(proposal.operation)}
          testId={`operation-${proposal.operation}`}
        >
          <span>{operationName(operations, proposal.operation, name)}</span>
          <ProposalReasons proposal={proposal} operation={operations.find((one) => one.id === proposal.operation)} />
        </RadioOption>
      ))}
      <PartChoices view={view} />
      <Select
        label={t('file.otherOperation')}
        placeholder={t('file.chooseOperation')}
        data={allOperations.map((one) => ({ value: one.id, label: name(one) }))}
        value={isProposed || part ? null : view.operation}
        onChange={(value) => value && choose(value)}
        searchable
        nothingFoundMessage={t('common.nothing')}
        className={styles.other}
        data-testid="operation-other"
      />
    </fieldset>
  );
}

function ProposalReasons({ proposal, operation }: { proposal: Proposal; operation: Operation | undefined }) {
  const { t } = useTranslation();
  const { number, name } = useFormats();
  const fields = operation?.request?.fields ?? [];
  const missing = proposal.missing.map((path) => pathName(fields, path, name)).join(', ');
  return (
    <span className="muted small">
      <span className="number">
        {t('file.matched', { count: proposal.columns, matched: number(proposal.matched), columns: number(proposal.columns) })}
      </span>
      {missing && ` · ${t('file.missing', { fields: missing })}`}
    </span>
  );
}

/** Returns the name of the field at a path such as `rawMaterials.code`. */
function pathName(fields: readonly Field[], path: string, name: (thing: Field) => string): string {
  const [head, ...rest] = path.split('.');
  const field = fields.find((one) => one.name === head);
  if (!field) return path;
  return rest.length > 0 ? pathName(field.fields, rest.join('.'), name) : name(field) || path;
}

/** The file step: sheet, header row and operation. */
export function FileStep({ view }: { view: ImportView }) {
  const [draft, setDraft] = useState<TextDraft | null>(null);
  return (
    <div className={styles.columns}>
      <div className={styles.left}>
        <TextAmbiguities view={view} />
        <OperationChoice view={view} />
        <PlanSheets view={view} />
        <FormatOptions view={view} draft={draft} setDraft={setDraft} />
      </div>
      {draft ? <TextPreview view={view} draft={draft} done={() => setDraft(null)} /> : <Headings view={view} />}
    </div>
  );
}

function Headings({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  return (
    <section className={styles.right} aria-labelledby="head-title">
      <div className={styles.headline}>
        <h2 id="head-title">{t('file.heading')}</h2>
        <span className="muted small">
          {view.headerRow ? t('file.headingHint') : t('file.noHeading')}
        </span>
      </div>
      <HeadTable view={view} />
    </section>
  );
}
