import type { Operation, OperationEdit } from '@/ipc/bindings';
import { type OperationDraft, editOf } from './operationEdit';

/** Unsaved drafts by operation. */
export type KeptEdits = Record<string, OperationDraft>;

/** Returns the edits of all drafts except one. */
export function editsOf(kept: KeptEdits, operations: Operation[], but: string | null): OperationEdit[] {
  return operations.flatMap((operation) => {
    const draft = kept[operation.id];
    return draft && operation.id !== but ? [editOf(operation, draft)] : [];
  });
}
