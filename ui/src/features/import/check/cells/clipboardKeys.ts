/**
 * Ctrl+C and Ctrl+V on cells. The page asks for no leave: the key's own event brings what is in the clipboard, and takes what goes into it. Not
 * every engine sends that event where no text is chosen, so a field that nobody sees has the focus for its time.
 */
export function pressClipboard(does: 'copy' | 'paste', place: HTMLElement): boolean {
  const back = document.activeElement;
  const field = document.createElement('textarea');
  field.className = 'hidden';
  field.dataset.clipboard = '';
  field.tabIndex = -1;
  place.append(field);
  let done = false;
  const end = () => {
    if (done) return;
    done = true;
    const isLost = document.activeElement === field || document.activeElement === document.body;
    field.remove();
    if (isLost && back instanceof HTMLElement && back.isConnected) back.focus({ preventScroll: true });
  };
  if (does === 'copy') {
    field.value = ' ';
    field.focus({ preventScroll: true });
    field.select();
    document.execCommand('copy');
    end();
    return true;
  }
  field.focus({ preventScroll: true });
  // The key's own work is to paste: it comes now, or never.
  field.addEventListener('paste', () => setTimeout(end), { once: true });
  field.addEventListener('keyup', end, { once: true });
  field.addEventListener('blur', end, { once: true });
  return false;
}

/** True for the field that has the focus while a key copies or pastes. */
export function isClipboardField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.dataset.clipboard !== undefined;
}
