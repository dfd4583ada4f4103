import { Button, Menu, TextInput } from '@mantine/core';
import { IconChevronDown, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { useFormats } from '@/base/useFormats';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { Dialog } from '@/components/page/Dialog';
import { type IdList, commands } from '@/ipc/bindings';
import { useTemplateUse } from './useTemplateUse';

import styles from '../common/templates.module.css';

type IdMenuProps = { site: string; ids: string; onSelect: (ids: string) => void; disabled: boolean };

/** A menu of known ID lists: recently read, used by orders, or saved under a name. */
function IdMenu({ site, ids, onSelect, disabled }: IdMenuProps) {
  const { t } = useTranslation();
  const { number, dateTime } = useFormats();
  const [naming, setNaming] = useState(false);
  const { data: remembered } = useQuery({ queryKey: queryKeys.templateIdsOf(site), queryFn: () => commands.templateRemembered() });
  const { data: lists } = useQuery({ queryKey: queryKeys.templateLists(site), queryFn: () => commands.templateLists() });
  const use = useTemplateUse(site);
  const saveList = useMutation({
    mutationFn: (list: IdList) => commands.templateListSave(list),
    onSuccess: (next) => queryClient.setQueryData(queryKeys.templateLists(site), next),
    onError: showProblemNotice,
  });
  const forget = useMutation({
    mutationFn: () => commands.templateForget(),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.templateIds }),
  });
  const count = remembered?.count ?? 0;
  return (
    <>
      <Menu position="bottom-start" width={320}>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />} disabled={disabled} data-testid="id-menu">
            {t('templates.known')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item disabled={count === 0} onClick={() => onSelect(remembered?.text ?? '')} data-testid="ids-remembered">
            {t('templates.remembered', { count: count })}
          </Menu.Item>
          {use.stored && (
            <Menu.Item onClick={() => onSelect(use.stored?.templates.text ?? '')} data-testid="ids-used">
              {t(use.stored.complete ? 'templates.used' : 'templates.usedPart', {
                count: use.stored.templates.count,
                orders: number(use.stored.orders),
                at: dateTime(use.stored.at),
              })}
            </Menu.Item>
          )}
          <Menu.Item onClick={use.read} disabled={use.running} data-testid="read-use">
            {t(use.stored ? 'templates.readUseAgain' : 'templates.readUse')}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{t('templates.lists')}</Menu.Label>
          {(lists ?? []).map((list) => (
            <Menu.Item key={list.name} onClick={() => onSelect(list.ids)} data-testid="ids-list">
              {list.name}
            </Menu.Item>
          ))}
          <Menu.Item disabled={ids === ''} onClick={() => setNaming(true)} data-testid="list-name">
            {t('templates.nameList')}
          </Menu.Item>
          {(lists ?? []).map((list) => (
            <Menu.Item
              key={list.name}
              leftSection={<IconTrash size={14} aria-hidden />}
              onClick={() => saveList.mutate({ ...list, ids: '' })}
            >
              {t('templates.forgetList', { name: list.name })}
            </Menu.Item>
          ))}
          <Menu.Item disabled={count === 0} leftSection={<IconTrash size={14} aria-hidden />} onClick={() => forget.mutate()}>
            {t('templates.forget')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {naming && (
        <NameDialog
          ids={ids}
          close={() => setNaming(false)}
          onSave={(name) => {
            saveList.mutate({ name, ids });
            setNaming(false);
          }}
        />
      )}
    </>
  );
}

function NameDialog({ ids, close, onSave }: { ids: string; close: () => void; onSave: (name: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (name.trim()) onSave(name.trim());
  };
  return (
    <Dialog title={t('templates.nameTitle')} close={close}>
      <form onSubmit={submit}>
        <TextInput
          label={t('templates.name')}
          description={ids}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
          data-testid="list-name-input"
          mb={16}
        />
        <Button type="submit" disabled={name.trim() === ''} data-testid="list-keep">
          {t('common.save')}
        </Button>
      </form>
    </Dialog>
  );
}

type Props = { site: string; read: (ids: string) => void; busy: boolean; disabled: boolean };

/** An input for template IDs: single IDs, ranges or known lists. */
export function IdLine({ site, read, busy, disabled }: Props) {
  const { t } = useTranslation();
  const [ids, setIds] = useState('');
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    if (ids.trim()) read(ids);
  };
  return (
    <form className={styles.input} onSubmit={submit}>
      <TextInput
        label={t('templates.ids')}
        placeholder={t('templates.idsExample')}
        value={ids}
        onChange={(event) => setIds(event.currentTarget.value)}
        disabled={disabled}
        className={styles.ids}
        data-testid="template-ids"
      />
      <Button type="submit" disabled={disabled || busy || ids.trim() === ''} data-testid="template-read">
        {t('templates.read')}
      </Button>
      <IdMenu site={site} ids={ids.trim()} onSelect={setIds} disabled={disabled} />
    </form>
  );
}
