/**
 * Handles Ctrl+C and Ctrl+V outside text inputs. The clipboard event of a key needs no permission. Some web views send it only if text is
 * selected, so a hidden text field is focused temporarily.
 */
export function runClipboardKey(command: 'copy' | 'paste', container: HTMLElement): boolean {
  const back = document.activeElement;
  const field = document.createElement('textarea');
  field.className = 'hidden';
  field.dataset.clipboard = '';
  field.tabIndex = -1;
  container.append(field);
  let done = false;
  const end = () => {
    if (done) return;
    done = true;
    const isLost = document.activeElement === field || document.activeElement === document.body;
    field.remove();
    if (isLost && back instanceof HTMLElement && back.isConnected) back.focus({ preventScroll: true });
  };
  if (command === 'copy') {
    field.value = ' ';
    field.focus({ preventScroll: true });
    field.select();
    document.execCommand('copy');
    end();
    return true;
  }
  field.focus({ preventScroll: true });
  // If the key causes a paste event, it follows at once.
  field.addEventListener('paste', () => setTimeout(end), { once: true });
  field.addEventListener('keyup', end, { once: true });
  field.addEventListener('blur', end, { once: true });
  return false;
}

/** Whether the target is the hidden clipboard field. */
export function isClipboardField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.dataset.clipboard !== undefined;
}

/** Whether the focus is in a text input, which handles keys and the clipboard itself. */
export function isTextInput(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, [contenteditable="true"]');
}
