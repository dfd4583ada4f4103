import { ActionIcon, Button, Popover, TextInput } from '@mantine/core';
import { IconBookmark, IconCheck, IconPencil, IconTrash } from '@tabler/icons-react';
import { type SyntheticEvent, memo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { Table } from './useTable';
import styles from './table.module.css';

/** Menu for named views: choose, save, rename, delete. */
export const ViewsMenu = memo(function ViewsMenu({ table }: { table: Table }) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(false);
  const [renamed, setRenamed] = useState<string | null>(null);
  const [name, setName] = useState('');
  // Without a name, the chosen view is overwritten.
  const typed = name.trim() || (renamed === null ? (table.chosen ?? '') : '');
  const choose = (view: string | null) => {
    table.choose(view);
    setOpened(false);
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (!typed) return;
    if (renamed === null) table.saveAs(typed);
    else table.rename(renamed, typed);
    setRenamed(null);
    setName('');
  };
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus returnFocus shadow="md" width={300}>
      <Popover.Target>
        <Button variant="default" size="xs" leftSection={<IconBookmark size={14} aria-hidden />} onClick={() => setOpened((now) => !now)} data-testid="views">
          {table.chosen ?? t('table.views')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={styles.popover} aria-label={t('table.views')} data-testid="views-list">
        <ul className={styles.views}>
          <ViewLine label={t('table.asDelivered')} chosen={table.chosen === null} choose={() => choose(null)} testId="view-delivered" />
          {table.named.map((view) => (
            <ViewLine key={view.name} label={view.name} chosen={table.chosen === view.name} choose={() => choose(view.name)} testId={`view-${view.name}`}>
              <ActionIcon
                variant="subtle"
                color="petrol"
                size="sm"
                aria-label={t('table.renameView', { name: view.name })}
                onClick={() => {
                  setRenamed(view.name);
                  setName(view.name);
                }}
              >
                <IconPencil size={14} aria-hidden />
              </ActionIcon>
              <ActionIcon variant="subtle" color="petrol" size="sm" aria-label={t('table.deleteView', { name: view.name })} onClick={() => table.remove(view.name)}>
                <IconTrash size={14} aria-hidden />
              </ActionIcon>
            </ViewLine>
          ))}
        </ul>
        <form className={styles.saveView} onSubmit={submit}>
          <TextInput
            size="xs"
            aria-label={t('table.viewName')}
            placeholder={table.chosen ?? t('table.viewName')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-testid="view-name"
          />
          <Button type="submit" size="xs" variant="default" disabled={!typed} data-testid="view-save">
            {t(renamed === null ? 'common.save' : 'table.rename')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
});

type LineProps = { label: string; chosen: boolean; choose: () => void; testId: string; children?: React.ReactNode };

function ViewLine({ label: said, chosen, choose, testId, children }: LineProps) {
  return (
    <li>
      <button type="button" className={styles.viewName} onClick={choose} aria-current={chosen ? 'true' : undefined} data-testid={testId}>
        {chosen ? <IconCheck size={14} aria-hidden /> : <span className={styles.noCheck} />}
        {said}
      </button>
      {children}
    </li>
  );
}
