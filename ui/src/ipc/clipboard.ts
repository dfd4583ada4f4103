import { commands } from './bindings';

/**
 * Into the clipboard. The page writes where it may, which is soon after a click in the window that is in front; else the system
 * is asked. False where that doesn't take it either.
 */
export async function copyText(text: string | Promise<string>): Promise<boolean> {
  const { clipboard } = navigator;
  try {
    // A text that is still on its way uses the click's leave at once.
    if (typeof text === 'string') await clipboard.writeText(text);
    else await clipboard.write([new ClipboardItem({ 'text/plain': text.then((found) => new Blob([found], { type: 'text/plain' })) })]);
    return true;
  } catch {
    return commands.clipboardWrite(await text);
  }
}
