import { ActionIcon, Button, Popover, TextInput, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconArrowForwardUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { ImportView } from '@/ipc/bindings';
import type { Actions } from './cells/actions';
import type { Fixes } from './useFixes';
import styles from './fix.module.css';

/** Undo and redo of fixes. */
export function UndoToolbar({ view, fixes }: { view: ImportView; fixes: Fixes }) {
  const { t } = useTranslation();
  return (
    <div className={styles.undo} role="toolbar" aria-label={t('fix.history')}>
      <FixButton name={t('fix.undo')} keys="Ctrl+Z" isEnabled={view.undo} run={fixes.undo} testId="fix-undo">
        <IconArrowBackUp size={16} aria-hidden />
      </FixButton>
      <FixButton name={t('fix.redo')} keys="Ctrl+Y" isEnabled={view.redo} run={fixes.redo} testId="fix-redo">
        <IconArrowForwardUp size={16} aria-hidden />
      </FixButton>
    </div>
  );
}

type CellToolbarProps = { view: ImportView; fixes: Fixes; actions: Actions };

/** Actions for the selected cells, and the announcement of the last fix. */
export function CellToolbar({ view, fixes, actions }: CellToolbarProps) {
  const { t } = useTranslation();
  const { count, rows, selectionName, fillDown, sameText, exclude, include } = actions;
  return (
    <div className={styles.bar} role="toolbar" aria-label={t('fix.bar')}>
      <span className={styles.said} role="status" data-testid="fix-said">
        {fixes.announcement || (view.replayed > 0 ? t('fix.replayed', { count: view.replayed }) : '')}
      </span>
      {selectionName && <code className={styles.place}>{count > 1 ? t('fix.selected', { place: selectionName, count, rows: t('fix.rows', { count: rows }) }) : selectionName}</code>}
      {selectionName && (
        <Tooltip label={t('fix.fillHint')} multiline w={280}>
          <Button variant="subtle" size="compact-sm" onClick={() => fillDown?.()} data-testid="fix-fill">
            {t('fix.fill')}
          </Button>
        </Tooltip>
      )}
      {exclude && (
        <Button variant="subtle" size="compact-sm" onClick={exclude.run} data-testid="fix-exclude">
          {t('fix.exclude', { count: exclude.count })}
        </Button>
      )}
      {include && (
        <Button variant="subtle" size="compact-sm" onClick={include.run} data-testid="fix-include">
          {t('fix.include', { count: include.count })}
        </Button>
      )}
      {sameText && <ReplaceForm actions={actions} alike={sameText} />}
    </div>
  );
}

type FixButtonProps = { name: string; keys: string; isEnabled: boolean; run: () => void; testId: string; children: React.ReactNode };

function FixButton({ name, keys, isEnabled, run, testId, children }: FixButtonProps) {
  return (
    <Tooltip label={`${name} · ${keys}`}>
      {/* A button that is disabled by its own click doesn't notice that the pointer leaves it, so its tooltip would stay. */}
      <span>
        <ActionIcon variant="subtle" size={28} aria-label={name} aria-keyshortcuts={keys.replace('Ctrl', 'Control')} disabled={!isEnabled} onClick={run} data-testid={testId}>
          {children}
        </ActionIcon>
      </span>
    </Tooltip>
  );
}

/** Asks for a text that replaces the focused cell's text in the whole column. */
function ReplaceForm({ actions, alike }: { actions: Actions; alike: { text: string; count: number } }) {
  const { t } = useTranslation();
  const [to, setTo] = useState('');
  const { isReplacing, setReplacing, replace } = actions;
  return (
    <Popover opened={isReplacing} onChange={setReplacing} position="top-end" trapFocus returnFocus shadow="md">
      <Popover.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            setTo(alike.text);
            setReplacing(!isReplacing);
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
            setReplacing(false);
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
