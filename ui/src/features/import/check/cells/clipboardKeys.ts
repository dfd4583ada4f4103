/**
 * Handles Ctrl+C and Ctrl+V on cells. The key's own clipboard event needs no permission. Some engines send it only with selected
 * text, so a hidden text field is focused temporarily.
 */
export function runClipboardKey(does: 'copy' | 'paste', gridElement: HTMLElement): boolean {
  const back = document.activeElement;
  const field = document.createElement('textarea');
  field.className = 'hidden';
  field.dataset.clipboard = '';
  field.tabIndex = -1;
  gridElement.append(field);
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
  // The paste event follows the key at once, if at all.
  field.addEventListener('paste', () => setTimeout(end), { once: true });
  field.addEventListener('keyup', end, { once: true });
  field.addEventListener('blur', end, { once: true });
  return false;
}

/** Whether the target is the hidden clipboard field. */
export function isClipboardField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.dataset.clipboard !== undefined;
}
