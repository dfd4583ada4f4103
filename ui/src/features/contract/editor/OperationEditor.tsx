import { Button, Checkbox, Group, Select, TextInput } from '@mantine/core';
import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { type Operation, type OperationEdit, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { FieldEditor } from './FieldEditor';
import { ResultsEditor } from './ResultsEditor';
import { SingleAnswerView } from './SingleAnswerView';
import { readCodes } from './codes';
import { type OperationDraft, draftOf, editOf, isEmpty } from './operationEdit';
import contract from '../common/contract.module.css';
import styles from './editor.module.css';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

type Props = {
  site: string;
  operation: Operation;
  /** As it was left, where it was edited before and not saved yet. */
  kept: OperationDraft | undefined;
  keep: (draft: OperationDraft) => void;
  save: UseMutationResult<number, Error, OperationEdit[]>;
  saveWith: (edit: OperationEdit) => OperationEdit[];
  close: () => void;
};

/** An operation set by hand, beside what the site answers to it. */
export function OperationEditor({ site, operation, kept, keep, save, saveWith, close }: Props) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const [draft, setDraft] = useState(() => kept ?? draftOf(operation));
  const [values, setValues] = useState<Record<string, string>>({});
  const change = (part: Partial<OperationDraft>) => setDraft({ ...draft, ...part });
  const edit = editOf(operation, draft);
  const ask = useMutation({ mutationFn: () => commands.contractAsk(site, { edit, parameters: values }) });
  const reads = operation.kind === 'read';
  const sends = operation.kind === 'sync' || operation.kind === 'delete';
  const needed = operation.parameters.filter(({ required, in: place }) => required || place === 'path');
  const codesAreRight = draft.fields.every(({ codes }) => readCodes(codes) !== null);
  const problem = save.error ?? ask.error;
  return (
    <section className={contract.section} aria-labelledby="contract-edit" data-testid="contract-edit">
      <div className={contract.line}>
        <h2 id="contract-edit">{t('contract.editTitle', { operation: name(operation) })}</h2>
        <Group gap={8}>
          <Button variant="default" onClick={close} disabled={save.isPending} data-testid="edit-cancel">
            {t('common.cancel')}
          </Button>
          <Button variant="default" onClick={() => keep(draft)} disabled={save.isPending || isEmpty(edit) || !codesAreRight} data-testid="edit-keep">
            {t('contract.keepEdit')}
          </Button>
          <Button onClick={() => save.mutate(saveWith(edit))} disabled={save.isPending || isEmpty(edit) || !codesAreRight} data-testid="edit-save">
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
            {needed.map((parameter) => (
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
              <Button variant="default" size="xs" onClick={() => ask.mutate()} disabled={ask.isPending || !codesAreRight} data-testid="edit-ask">
                {t('contract.askOnce')}
              </Button>
              <span className="muted small">{t('contract.askOnceHint')}</span>
            </Group>
            {ask.data && <SingleAnswerView answer={ask.data} />}
          </div>
        )}
      </div>
    </section>
  );
}

/** How pages are asked for. */
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
