import { ActionIcon, Button, Popover, TextInput, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ImportView } from '@/ipc/bindings';
import type { Actions } from './cells/actions';
import type { Fixes } from './useFixes';
import styles from './fix.module.css';

type Props = { view: ImportView; fixes: Fixes; actions: Actions };

/** Undo, redo, and actions for the selected cells. */
export function FixBar({ view, fixes, actions }: Props) {
  const { t } = useTranslation();
  const { count, rows, place, fillDown, alike, exclude, include } = actions;
  return (
    <div className={styles.bar} role="toolbar" aria-label={t('fix.bar')}>
      <Step name={t('fix.undo')} keys="Ctrl+Z" can={view.undo} run={fixes.undo} testId="fix-undo">
        <IconArrowBackUp size={16} aria-hidden />
      </Step>
      <Step name={t('fix.redo')} keys="Ctrl+Y" can={view.redo} run={fixes.redo} testId="fix-redo">
        <IconArrowForwardUp size={16} aria-hidden />
      </Step>
      {place && <code className={styles.place}>{count > 1 ? t('fix.selected', { place, count, rows: t('fix.rows', { count: rows }) }) : place}</code>}
      {place && (
        <Tooltip label={t('fix.fillHint')} multiline w={280}>
          <Button variant="subtle" size="compact-sm" onClick={() => fillDown?.()} data-testid="fix-fill">
            {t('fix.fill')}
          </Button>
        </Tooltip>
      )}
      {exclude && (
        <Button className={styles.skip} variant="subtle" size="compact-sm" onClick={exclude.run} data-testid="fix-exclude">
          {t('fix.exclude', { count: exclude.count })}
        </Button>
      )}
      {include && (
        <Button className={styles.skip} variant="subtle" size="compact-sm" onClick={include.run} data-testid="fix-include">
          {t('fix.include', { count: include.count })}
        </Button>
      )}
      {alike && <Replace actions={actions} alike={alike} />}
      <span className={styles.said} role="status" data-testid="fix-said">
        {fixes.announcement || (view.replayed > 0 ? t('fix.replayed', { count: view.replayed }) : '')}
      </span>
    </div>
  );
}

type StepProps = { name: string; keys: string; can: boolean; run: () => void; testId: string; children: React.ReactNode };

function Step({ name, keys, can, run, testId, children }: StepProps) {
  return (
    <Tooltip label={`${name} · ${keys}`}>
      <ActionIcon variant="subtle" size={28} aria-label={name} aria-keyshortcuts={keys.replace('Ctrl', 'Control')} disabled={!can} onClick={run} data-testid={testId}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

/** Asks for a text that replaces the focused cell's text in the whole column. */
function Replace({ actions, alike }: { actions: Actions; alike: { text: string; count: number } }) {
  const { t } = useTranslation();
  const [to, setTo] = useState('');
  const { asking, ask, replace } = actions;
  return (
    <Popover opened={asking} onChange={ask} position="bottom-start" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            setTo(alike.text);
            ask(!asking);
          }}
          data-testid="fix-replace"
        >
          {t('fix.replaceCount', { count: alike.count })}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          className={styles.replace}
          onSubmit={(event) => {
            event.preventDefault();
            ask(false);
            replace?.(to);
          }}
        >
          <TextInput
            label={alike.text ? t('fix.replaceBy', { from: alike.text }) : t('fix.replaceEmpty')}
            value={to}
            onChange={(event) => setTo(event.currentTarget.value)}
            size="xs"
            data-autofocus
            data-testid="fix-replace-by"
          />
          <Button type="submit" size="xs" disabled={to === alike.text} data-testid="fix-replace-do">
            {t('fix.replaceDo', { count: alike.count })}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
