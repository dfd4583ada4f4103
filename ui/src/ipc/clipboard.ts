import { commands } from './bindings';

/**
 * Copies text with the page's clipboard if permitted, which is shortly after a click in the focused window. Otherwise the
 * system's is used. Returns false if both fail.
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  const { clipboard } = navigator;
  try {
    // Passing a pending text uses the click's permission at once.
    if (typeof text === 'string') await clipboard.writeText(text);
    else await clipboard.write([new ClipboardItem({ 'text/plain': text.then((found) => new Blob([found], { type: 'text/plain' })) })]);
    return true;
  } catch {
    return commands.clipboardWrite(await text);
  }
}
