export { setCellEdit } from './cellEdit';
export { DiscardDialog } from './DiscardDialog';
export { ImportProvider, useImport } from './ImportProvider';
export { type Step, isReachable, IMPORT_STEPS as steps } from './session';
export type { Opening } from './useFileReading';
