import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useOperations } from '@/base/appState';
import { operationName, useFormats } from '@/base/useFormats';
import { Choice } from '@/components/controls/Choice';
import { useImport } from '@/features/import-session';
import { commands, type Field, type ImportView, type Operation, type Proposal, type StepPart } from '@/ipc/bindings';

import styles from './file.module.css';

const MAX_PROPOSALS = 3;

/** Selects the sheet whose items the rows are parts of. */
function PartChoices({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { apply } = useImport();
  const operations = useOperations();
  const own = view.steps.find((step) => step.sheet === view.sheet)?.part ?? null;
  const listName = (part: StepPart) => {
    const operation = view.steps.find((step) => step.sheet === part.of)?.operation;
    const fields = operations.find((one) => one.id === operation)?.request?.fields ?? [];
    const list = fields.find((field) => field.name === part.list);
    return list ? name(list) : part.list;
  };
  return view.parts.slice(0, MAX_PROPOSALS).map(({ part }) => (
    <Choice
      key={`${part.of} ${part.list}`}
      name="operation"
      checked={own?.of === part.of && own.list === part.list}
      choose={() => void apply(commands.importPart(view.id, part))}
      testId={`part-${part.of}-${part.list}`}
    >
      <span>{t('plan.part', { sheet: part.of, list: listName(part) })}</span>
    </Choice>
  ));
}

/** The proposed operations with reasons, and a choice. */
export function OperationChoice({ view }: { view: ImportView }) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const { apply } = useImport();
  const operations = useOperations();
  const part = view.steps.find((step) => step.sheet === view.sheet)?.part ?? null;
  const proposals = view.proposals.slice(0, 3);
  const shown = proposals.some((one) => one.operation === view.operation);
  const others = operations.filter((one) => one.kind === 'sync' || one.kind === 'delete');
  const choose = (operation: string) => void apply(commands.importOperation(view.id, operation));
  return (
    <fieldset className={styles.group} data-testid="operation-choice">
      <legend>{t('file.operation')}</legend>
      {proposals.map((proposal) => (
        <Choice
          key={proposal.operation}
          name="operation"
          checked={proposal.operation === view.operation && !part}
          choose={() => choose(proposal.operation)}
          testId={`operation-${proposal.operation}`}
        >
          <span>{operationName(operations, proposal.operation, name)}</span>
          <Reasons proposal={proposal} operation={operations.find((one) => one.id === proposal.operation)} />
        </Choice>
      ))}
      <PartChoices view={view} />
      <Select
        label={t('file.otherOperation')}
        placeholder={t('file.chooseOperation')}
        data={others.map((one) => ({ value: one.id, label: name(one) }))}
        value={shown || part ? null : view.operation}
        onChange={(value) => value && choose(value)}
        searchable
        nothingFoundMessage={t('common.nothing')}
        className={styles.other}
        data-testid="operation-other"
      />
    </fieldset>
  );
}

function Reasons({ proposal, operation }: { proposal: Proposal; operation: Operation | undefined }) {
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
