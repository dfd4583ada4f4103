export { ImportPage } from './ImportPage';
export { DropZone } from './start/DropZone';
