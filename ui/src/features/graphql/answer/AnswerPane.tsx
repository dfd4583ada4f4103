import { Button, Menu, SegmentedControl, Select } from '@mantine/core';
import { json } from '@codemirror/lang-json';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { IconChevronDown } from '@tabler/icons-react';

import { useFormats } from '@/base/useFormats';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { commands, type ExportFormat, type StoredAnswer } from '@/ipc/bindings';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { showSavedNotice } from '@/components/notices/savedNotice';

import { CodeEditor } from '../code/CodeEditor';
import type { QuerySession } from '../common/useQuerySession';
import { AnswerTable } from './AnswerTable';
import styles from '../common/graphql.module.css';

/** Exports the response: the table's list, or all of it as JSON. */
function AnswerExport({ answer, path }: { answer: StoredAnswer; path: string | null }) {
  const { t } = useTranslation();
  const save = (format: ExportFormat, of: string | null) =>
    void commands.graphqlExport(answer.id, of, format, t('graphql.saveFile')).then((saved) => showSavedNotice(saved), showProblemNotice);
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          ml="auto"
          rightSection={<IconChevronDown size={14} aria-hidden />}
          data-testid="graphql-export"
        >
          {t('graphql.export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={!path} onClick={() => save('xlsx', path)} data-testid="graphql-export-xlsx">
          {t('graphql.tableAs', { format: 'xlsx' })}
        </Menu.Item>
        <Menu.Item disabled={!path} onClick={() => save('csv', path)}>
          {t('graphql.tableAs', { format: 'csv' })}
        </Menu.Item>
        <Menu.Item disabled={!path} onClick={() => save('json', path)}>
          {t('graphql.tableAs', { format: 'JSON' })}
        </Menu.Item>
        <Menu.Item onClick={() => save('json', null)}>{t('graphql.wholeAnswer')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type Look = 'json' | 'table';

/** The response as JSON or as a table, or the error. */
export function AnswerPane({ session }: { session: QuerySession }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [look, setLook] = useState<Look>('json');
  const [chosen, setChosen] = useState<string | null>(null);
  const { tab, running } = session;
  const { answer, problem } = tab.outcome;
  const lists = answer?.lists ?? [];
  const list = lists.find(({ path }) => path === chosen) ?? lists[0];
  const table = look === 'table' && answer && list;
  return (
    <section className={styles.answer} aria-label={t('graphql.answer')}>
      <header className={styles.answerHead}>
        <SegmentedControl
          size="xs"
          value={table ? 'table' : 'json'}
          onChange={(next) => setLook(next as Look)}
          data={[
            { value: 'json', label: t('graphql.json') },
            { value: 'table', label: t('graphql.table'), disabled: lists.length === 0 },
          ]}
          data-testid="graphql-look"
        />
        {table && (
          <Select
            size="xs"
            className={styles.path}
            aria-label={t('graphql.list')}
            data={lists.map(({ path, rows }) => ({ value: path, label: `${path} (${number(rows)})` }))}
            value={list.path}
            onChange={setChosen}
            allowDeselect={false}
            data-testid="graphql-path"
          />
        )}
        {answer && <AnswerExport answer={answer} path={list?.path ?? null} />}
      </header>
      {problem && <ProblemNote problem={problem} />}
      {answer && answer.errors.length > 0 && <Errors answer={answer} />}
      {answer?.cut && look === 'json' && <p className={styles.cut}>{t('graphql.cut')}</p>}
      <div className={styles.text} hidden={Boolean(table)}>
        <AnswerText session={session} text={running ? '' : (answer?.text ?? '')} revision={`${tab.id} ${running} ${answer?.id}`} />
      </div>
      {table && <AnswerTable key={`${answer.id} ${list.path}`} id={answer.id} path={list.path} />}
    </section>
  );
}

function Errors({ answer }: { answer: StoredAnswer }) {
  const { t } = useTranslation();
  return (
    <div className={styles.errors} role="alert" data-testid="graphql-errors">
      <p>{t('graphql.errors', { count: answer.errors.length })}</p>
      <ul>
        {answer.errors.slice(0, 5).map(({ message, line, column }) => (
          <li key={`${message} ${line} ${column}`}>
            {message} {line !== null && <span className="muted">{t('graphql.place', { line, column: column ?? 1 })}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The response text as formatted by the engine. */
function AnswerText({ session, text, revision }: { session: QuerySession; text: string; revision: string }) {
  const { t } = useTranslation();
  const keys = { 'Mod-Enter': () => session.run() };
  return <CodeEditor label={t('graphql.answerText')} text={text} revision={revision} extension={language} keys={keys} testId="graphql-answer" />;
}

const language = json();
