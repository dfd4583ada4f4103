import { getCurrentWebview } from '@tauri-apps/api/webview';

type FileDrop = { kind: 'over' } | { kind: 'left' } | { kind: 'dropped'; paths: string[] };

/** Files dragged over the whole window; the browser's own drop never tells a path. */
export function onFileDrop(tell: (drop: FileDrop) => void): () => void {
  const listening = getCurrentWebview().onDragDropEvent(({ payload }) => {
    if (payload.type === 'drop') tell({ kind: 'dropped', paths: payload.paths });
    else if (payload.type === 'leave') tell({ kind: 'left' });
    else tell({ kind: 'over' });
  });
  return () => void listening.then((stop) => stop());
}
