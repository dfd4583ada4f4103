import { getCurrentWebview } from '@tauri-apps/api/webview';

/** What hovers is told once by its paths, when it comes in. */
type FileDrop = { kind: 'over'; paths: string[] | null } | { kind: 'left' } | { kind: 'dropped'; paths: string[] };

/** Files dragged over the whole window; the browser's own drop never tells a path. */
export function onFileDrop(onDrop: (drop: FileDrop) => void): () => void {
  const listening = getCurrentWebview().onDragDropEvent(({ payload }) => {
    if (payload.type === 'drop') onDrop({ kind: 'dropped', paths: payload.paths });
    else if (payload.type === 'leave') onDrop({ kind: 'left' });
    else onDrop({ kind: 'over', paths: payload.type === 'enter' ? payload.paths : null });
  });
  return () => void listening.then((stop) => stop());
}
