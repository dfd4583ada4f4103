import { commands } from './bindings';

/**
 * Copies text with the web view's clipboard, which is permitted shortly after a click in the focused window. Otherwise the
 * system's clipboard is used. Returns false if both fail.
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  const { clipboard } = navigator;
  try {
    // Passing a pending text uses the permission of the click before it expires.
    if (typeof text === 'string') await clipboard.writeText(text);
    else await clipboard.write([new ClipboardItem({ 'text/plain': text.then((found) => new Blob([found], { type: 'text/plain' })) })]);
    return true;
  } catch {
    return commands.clipboardWrite(await text);
  }
}
