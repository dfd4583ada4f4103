import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Dialog } from '@/components/page/Dialog';
import { useHelp } from '@/features/help';
import styles from './shortcuts.module.css';

/** Keyboard shortcuts by context. Each label is the locale key `shortcuts.keys.` plus the name. */
const SHORTCUT_GROUPS = [
  { name: 'everywhere', keys: ['search', 'back', 'forward', 'larger', 'smaller', 'plain', 'close', 'closeWindow', 'list'] },
  { name: 'import', keys: ['next', 'previous'] },
  { name: 'check', keys: ['pasteCells', 'copyCells', 'undo', 'redo', 'edit', 'clear', 'suggestions', 'extend', 'selectAll', 'edge', 'corners', 'fill', 'fillRight', 'find', 'replace', 'menu'] },
  { name: 'tables', keys: ['copy', 'all', 'first', 'last'] },
  { name: 'graphql', keys: ['run', 'suggest', 'document', 'errors', 'format', 'copyQuery', 'merge', 'findText', 'enterEditor', 'leaveEditor'] },
  { name: 'charts', keys: ['zoomIn', 'zoomOut', 'whole', 'now', 'pan'] },
] as const;

/** Lists all keyboard shortcuts. */
export function ShortcutsDialog({ close }: { close: () => void }) {
  const { t } = useTranslation();
  const help = useHelp();
  const openHelp = () => {
    close();
    help.open('keyboard');
  };
  return (
    <Dialog title={t('shortcuts.title')} close={close} wide>
      <div className={styles.groups} data-testid="shortcuts">
        {SHORTCUT_GROUPS.map((group) => (
          <section key={group.name}>
            <h3>{t(`shortcuts.groups.${group.name}`)}</h3>
            <dl>
              {group.keys.map((key) => (
                <div key={key}>
                  <dt>
                    <kbd>{t(`shortcuts.keys.${key}.keys`)}</kbd>
                  </dt>
                  <dd>{t(`shortcuts.keys.${key}.does`)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Button variant="default" onClick={openHelp} data-testid="shortcuts-help">
        {t('help.open')}
      </Button>
    </Dialog>
  );
}
