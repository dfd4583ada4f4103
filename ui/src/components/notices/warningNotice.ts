import { showPageNotice } from './pageNotice';

/** Shows a partial success until the notice is closed or another page is opened. */
export function showWarningNotice(message: string): void {
  showPageNotice({ key: message, message, color: 'yellow' });
}
