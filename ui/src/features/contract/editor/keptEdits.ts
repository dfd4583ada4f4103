import type { Operation, OperationEdit } from '@/ipc/bindings';
import { type OperationDraft, editOf } from './operationEdit';

/** What was edited and isn't saved yet, by operation. */
export type KeptEdits = Record<string, OperationDraft>;

/** The edits of every kept operation but one. */
export function editsOf(kept: KeptEdits, operations: Operation[], but: string | null): OperationEdit[] {
  return operations.flatMap((operation) => {
    const draft = kept[operation.id];
    return draft && operation.id !== but ? [editOf(operation, draft)] : [];
  });
}
