import { Button, Group, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { type Problem, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { storedQueriesQuery, setSaved } from '../common/savedQueries';
import type { QuerySession } from '../common/useQuerySession';
import { nameOf } from '../document/operations';

/** Saves the query under a name. */
export function SaveQuery({ session: { site, tab }, close }: { session: QuerySession; close: () => void }) {
  const { t } = useTranslation();
  const { data: stored } = useQuery(storedQueriesQuery(site));
  const [name, setName] = useState(nameOf(tab.query) ?? '');
  const [problem, setProblem] = useState<Problem | null>(null);
  const taken = stored?.saved.some((saved) => saved.name === name.trim());
  const save = (event: FormEvent) => {
    event.preventDefault();
    commands.graphqlSave(name, { query: tab.query, variables: tab.variables }).then(
      (saved) => {
        setSaved(site, saved);
        close();
      },
      (cause: unknown) => setProblem(toProblem(cause)),
    );
  };
  return (
    <Dialog title={t('graphql.saveTitle')} close={close}>
      <form onSubmit={save}>
        <TextInput
          label={t('graphql.name')}
          description={taken ? t('graphql.replaces') : undefined}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={200}
          data-autofocus
          data-testid="graphql-name"
        />
        {problem && <ProblemNote problem={problem} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" disabled={name.trim() === ''} data-testid="graphql-save-name">
            {t('graphql.save')}
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
