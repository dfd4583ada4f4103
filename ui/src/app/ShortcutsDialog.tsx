import { useTranslation } from 'react-i18next';

import { Dialog } from '@/components/page/Dialog';
import styles from './shortcuts.module.css';

/** Where keys have a meaning, and which; each is named `shortcuts.keys.` and its name. */
const groups = [
  { name: 'everywhere', keys: ['search', 'back', 'forward', 'larger', 'smaller', 'plain', 'close', 'list'] },
  { name: 'import', keys: ['next', 'previous'] },
  { name: 'check', keys: ['undo', 'redo', 'edit', 'clear', 'extend', 'fill', 'menu'] },
  { name: 'tables', keys: ['copy', 'all', 'first', 'last'] },
  { name: 'charts', keys: ['zoomIn', 'zoomOut', 'whole', 'now', 'pan'] },
] as const;

/** Every key that Takt knows. */
export function ShortcutsDialog({ close }: { close: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog title={t('shortcuts.title')} close={close} wide>
      <div className={styles.groups} data-testid="shortcuts">
        {groups.map((group) => (
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
    </Dialog>
  );
}
