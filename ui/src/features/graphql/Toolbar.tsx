import { ActionIcon, Button, Group, Menu, TextInput } from '@mantine/core';
import { IconBook2, IconBookmark, IconDots, IconHistory, IconTextWrap } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { type Problem, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import type { SidePanelName } from './SidePanel';
import { setSaved, storedQueriesQuery } from './common/savedQueries';
import type { QuerySession } from './common/useQuerySession';
import { nameOf } from './document/operations';
import styles from './common/graphql.module.css';

/** Saves the query under a name. */
function SaveQuery({ session: { site, tab }, close }: { session: QuerySession; close: () => void }) {
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

type Props = { session: QuerySession; sheet: SidePanelName | null; setSheet: (sheet: SidePanelName | null) => void };

/** Actions for the query, and toggles for the side panels. */
export function Toolbar({ session, sheet, setSheet }: Props) {
  const { t } = useTranslation();
  const [saving, setSaving] = useState(false);
  const side = (name: SidePanelName, Icon: typeof IconBook2) => (
    <Button
      size="xs"
      variant={sheet === name ? 'light' : 'subtle'}
      aria-pressed={sheet === name}
      leftSection={<Icon size={16} aria-hidden />}
      onClick={() => setSheet(sheet === name ? null : name)}
      data-testid={`graphql-${name}`}
    >
      {t(`graphql.${name}`)}
    </Button>
  );
  return (
    <div className={styles.tools}>
      <Button
        size="xs"
        variant="subtle"
        title={t('graphql.prettifyKeys')}
        leftSection={<IconTextWrap size={16} aria-hidden />}
        onClick={() => void session.format()}
        data-testid="graphql-prettify"
      >
        {t('graphql.prettify')}
      </Button>
      <Button
        size="xs"
        variant="subtle"
        leftSection={<IconBookmark size={16} aria-hidden />}
        onClick={() => setSaving(true)}
        data-testid="graphql-save"
      >
        {t('graphql.save')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size="md" variant="subtle" aria-label={t('graphql.more')} data-testid="graphql-more">
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item rightSection={<kbd className={styles.keys}>{t('graphql.copyKeys')}</kbd>} onClick={() => void session.copy()} data-testid="graphql-copy">
            {t('graphql.copy')}
          </Menu.Item>
          <Menu.Item rightSection={<kbd className={styles.keys}>{t('graphql.mergeKeys')}</kbd>} onClick={session.merge} data-testid="graphql-merge">
            {t('graphql.merge')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {side('kept', IconHistory)}
      {side('docs', IconBook2)}
      {saving && <SaveQuery session={session} close={() => setSaving(false)} />}
    </div>
  );
}
