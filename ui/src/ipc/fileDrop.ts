import { getCurrentWebview } from '@tauri-apps/api/webview';

type FileDrop = { kind: 'over' } | { kind: 'left' } | { kind: 'dropped'; paths: string[] };

/** Files dragged over the whole window; the browser's own drop never tells a path. */
export function onFileDrop(onDrop: (drop: FileDrop) => void): () => void {
  const listening = getCurrentWebview().onDragDropEvent(({ payload }) => {
    if (payload.type === 'drop') onDrop({ kind: 'dropped', paths: payload.paths });
    else if (payload.type === 'leave') onDrop({ kind: 'left' });
    else onDrop({ kind: 'over' });
  });
  return () => void listening.then((stop) => stop());
}
