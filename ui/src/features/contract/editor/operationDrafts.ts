import type { Operation, OperationEdit } from '@/ipc/bindings';
import { type OperationDraft, toEdit } from './operationEdit';

/** Unsaved drafts by operation. */
export type OperationDrafts = Record<string, OperationDraft>;

/** Returns the edits of all drafts except one. */
export function editsOf(drafts: OperationDrafts, operations: Operation[], but: string | null): OperationEdit[] {
  return operations.flatMap((operation) => {
    const draft = drafts[operation.id];
    return draft && operation.id !== but ? [toEdit(operation, draft)] : [];
  });
}
