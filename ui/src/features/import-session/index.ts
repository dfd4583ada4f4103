export { setCellEdit } from './cellEdit';
export { DiscardDialog } from './DiscardDialog';
export { ImportProvider, useImport } from './ImportProvider';
export { type Step, isReachable, steps } from './session';
export type { Opening } from './useFileReading';
