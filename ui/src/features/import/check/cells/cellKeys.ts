/** The command of a key for the selected cells. */
export type CellCommand =
  | { does: 'extend'; rows: number; columns: number }
  | { does: 'jump'; rows: number; columns: number; extends: boolean }
  | { does: 'corner'; last: boolean; extends: boolean }
  | { does: 'line'; last: boolean; extends: boolean }
  | { does: 'all' | 'clear' | 'menu' | 'down' | 'right' | 'copy' | 'paste' | 'replace' | 'suggestions' | 'escape' };

const ARROWS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

const CONTROL_KEYS: Readonly<Record<string, 'all' | 'down' | 'right' | 'copy' | 'paste' | 'replace'>> = {
  a: 'all',
  d: 'down',
  r: 'right',
  c: 'copy',
  v: 'paste',
  h: 'replace',
};

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** Returns the command of a key on a cell that isn't being edited, as in Excel. Null if the grid or page handles the key. */
export function cellCommandOf({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyPress): CellCommand | null {
  const control = ctrlKey || metaKey;
  if (altKey) return key === 'ArrowDown' && !control ? { does: 'suggestions' } : null;
  const arrow = ARROWS[key];
  if (arrow) {
    const [rows, columns] = arrow;
    if (control) return { does: 'jump', rows, columns, extends: shiftKey };
    return shiftKey ? { does: 'extend', rows, columns } : null;
  }
  if (key === 'Home' || key === 'End') return { does: control ? 'corner' : 'line', last: key === 'End', extends: shiftKey };
  if (control) {
    const command = CONTROL_KEYS[key.toLowerCase()];
    return command && !shiftKey ? { does: command } : null;
  }
  if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) return { does: 'menu' };
  if (key === 'Escape') return { does: 'escape' };
  return key === 'Delete' ? { does: 'clear' } : null;
}
