import { Button, Checkbox, Group, Select, TextInput } from '@mantine/core';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { commands, type Operation, type OperationEdit, type SingleAnswer } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

import { FieldEditor } from './FieldEditor';
import { parseCodes } from './codes';
import { toDraft, toEdit, isEmptyEdit, type OperationDraft, type ResultsDraft } from './operationEdit';
import contract from '../common/contract.module.css';
import styles from './editor.module.css';

/** A sample response of the site: row count, first row as Takt reads it, and the raw text. */
function SampleResponse({ answer }: { answer: SingleAnswer }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  return (
    <div className={contract.section} data-testid="edit-answer">
      {answer.problem && <ProblemNote problem={answer.problem} />}
      {answer.rows !== null && (
        <p role="status" data-testid="edit-rows">
          {t('contract.rowsFound', { count: answer.rows, milliseconds: number(answer.milliseconds ?? 0) })}
        </p>
      )}
      {answer.firstRow && (
        <>
          <h3>{t('contract.firstRow')}</h3>
          <pre className={styles.answer} tabIndex={0} data-testid="edit-first-row">
            {answer.firstRow}
          </pre>
        </>
      )}
      {answer.body && (
        <>
          <h3>{t('contract.wholeAnswer')}</h3>
          <pre className={styles.answer} tabIndex={0} data-testid="edit-body">
            {answer.body}
          </pre>
          {answer.isCut && <p className="muted small">{t('contract.answerIsCut')}</p>}
        </>
      )}
    </div>
  );
}

const RESULT_MEMBERS = ['list', 'reasons', 'index', 'all', 'accepted', 'rejected'] as const;

/** Edits the format of responses to sent rows. */
function ResultsEditor({ results, change }: { results: ResultsDraft; change: (results: ResultsDraft) => void }) {
  const { t } = useTranslation();
  return (
    <div className={contract.section}>
      <h3>{t('contract.results.title')}</h3>
      <Checkbox
        size="xs"
        label={t('contract.results.onlyFailures')}
        checked={results.onlyFailures}
        onChange={(event) => change({ ...results, onlyFailures: event.currentTarget.checked })}
        data-testid="edit-only-failures"
      />
      <Group gap={8}>
        {RESULT_MEMBERS.map((member) => (
          <TextInput
            key={member}
            size="xs"
            w={170}
            label={t(`contract.results.${member}`)}
            value={results[member]}
            onChange={(event) => change({ ...results, [member]: event.currentTarget.value })}
            data-testid={`edit-results-${member}`}
          />
        ))}
      </Group>
    </div>
  );
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

type Props = {
  site: string;
  operation: Operation;
  /** The unsaved draft, undefined if the operation wasn't edited before. */
  savedDraft: OperationDraft | undefined;
  storeDraft: (draft: OperationDraft) => void;
  save: UseMutationResult<number, Error, OperationEdit[]>;
  withOtherEdits: (edit: OperationEdit) => OperationEdit[];
  close: () => void;
};

/** Edits an operation next to the site's sample response. */
export function OperationEditor({ site, operation, savedDraft, storeDraft, save, withOtherEdits, close }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const [draft, setDraft] = useState(() => savedDraft ?? toDraft(operation));
  const [values, setValues] = useState<Record<string, string>>({});
  const change = (part: Partial<OperationDraft>) => setDraft({ ...draft, ...part });
  const edit = toEdit(operation, draft);
  const requestSample = useMutation({ mutationFn: () => commands.contractAsk(site, { edit, parameters: values }) });
  const reads = operation.kind === 'read';
  const sends = operation.kind === 'sync' || operation.kind === 'delete';
  const neededParameters = operation.parameters.filter(({ required, in: place }) => required || place === 'path');
  const codesAreRight = draft.fields.every(({ codes }) => parseCodes(codes) !== null);
  const problem = save.error ?? requestSample.error;
  return (
    <section className={contract.section} aria-labelledby="contract-edit" data-testid="contract-edit">
      <div className={contract.line}>
        <h2 id="contract-edit">{t('contract.editTitle', { operation: name(operation) })}</h2>
        <Group gap={8}>
          <Button variant="default" onClick={close} disabled={save.isPending} data-testid="edit-cancel">
            {t('common.cancel')}
          </Button>
          <Button variant="default" onClick={() => storeDraft(draft)} disabled={save.isPending || isEmptyEdit(edit) || !codesAreRight} data-testid="edit-keep">
            {t('contract.keepEdit')}
          </Button>
          <Button onClick={() => save.mutate(withOtherEdits(edit))} disabled={save.isPending || isEmptyEdit(edit) || !codesAreRight} data-testid="edit-save">
            {t('contract.saveEdit')}
          </Button>
        </Group>
      </div>
      {problem && <ProblemNote problem={toProblem(problem)} />}
      <div className={styles.editor}>
        <div className={contract.section}>
          <Group gap={8} align="flex-end">
            <Select
              size="xs"
              w={110}
              label={t('contract.parts.method')}
              data={METHODS}
              value={draft.method}
              onChange={(method) => method && change({ method })}
              allowDeselect={false}
              data-testid="edit-method"
            />
            <TextInput
              size="xs"
              className={styles.path}
              label={t('contract.parts.path')}
              value={draft.path}
              onChange={(event) => change({ path: event.currentTarget.value })}
              data-testid="edit-path"
            />
          </Group>
          <TextInput
            size="xs"
            label={t(reads ? 'contract.parts.answer-list' : 'contract.parts.request-list')}
            description={t('contract.listHint')}
            value={draft.list}
            onChange={(event) => change({ list: event.currentTarget.value })}
            data-testid="edit-list"
          />
          {reads && <PagesEditor draft={draft} change={change} />}
          {sends && <ResultsEditor results={draft.results} change={(results) => change({ results })} />}
          <FieldEditor fields={draft.fields} places={reads ? ['answer', 'parameter'] : ['request']} change={(fields) => change({ fields })} />
        </div>
        {reads && (
          <div className={contract.section}>
            {neededParameters.map((parameter) => (
              <TextInput
                key={parameter.name}
                size="xs"
                label={name(parameter)}
                value={values[parameter.name] ?? ''}
                onChange={(event) => setValues({ ...values, [parameter.name]: event.currentTarget.value })}
                data-testid={`edit-value-${parameter.name}`}
              />
            ))}
            <Group gap={8}>
              <Button variant="default" size="xs" onClick={() => requestSample.mutate()} disabled={requestSample.isPending || !codesAreRight} data-testid="edit-ask">
                {t('contract.askOnce')}
              </Button>
              <span className="muted small">{t('contract.askOnceHint')}</span>
            </Group>
            {requestSample.data && <SampleResponse answer={requestSample.data} />}
          </div>
        )}
      </div>
    </section>
  );
}

/** Edits the names of the paging parameters and the location of the total. */
function PagesEditor({ draft, change }: { draft: OperationDraft; change: (part: Partial<OperationDraft>) => void }) {
  const { t } = useTranslation();
  const input = (member: 'page' | 'limit' | 'first' | 'rows' | 'total') => (
    <TextInput
      size="xs"
      w={150}
      label={t(`contract.pages.${member}`)}
      value={draft[member]}
      onChange={(event) => change({ [member]: event.currentTarget.value })}
      data-testid={`edit-${member}`}
    />
  );
  return (
    <>
      <Checkbox
        size="xs"
        label={t('contract.paged')}
        checked={draft.paged}
        onChange={(event) => change({ paged: event.currentTarget.checked })}
        data-testid="edit-paged"
      />
      {draft.paged && (
        <Group gap={8}>
          {input('page')}
          {input('limit')}
          {input('first')}
          {input('rows')}
          {input('total')}
        </Group>
      )}
    </>
  );
}
