import { getCurrentWebview } from '@tauri-apps/api/webview';

/** A drag event. `paths` is null while files are moved within the window. */
type FileDrop = { kind: 'over'; paths: string[] | null } | { kind: 'left' } | { kind: 'dropped'; paths: string[] };

/** Listens for files that are dragged over the window. The browser's own events have no paths. */
export function onFileDrop(onDrop: (drop: FileDrop) => void): () => void {
  const listening = getCurrentWebview().onDragDropEvent(({ payload }) => {
    if (payload.type === 'drop') onDrop({ kind: 'dropped', paths: payload.paths });
    else if (payload.type === 'leave') onDrop({ kind: 'left' });
    else onDrop({ kind: 'over', paths: payload.type === 'enter' ? payload.paths : null });
  });
  return () => void listening.then((stop) => stop());
}
