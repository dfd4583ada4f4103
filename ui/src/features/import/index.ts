export { ImportPage } from './ImportPage';
export { DropZone } from './start/DropZone';
export { DropArea, RecentFiles, Samples, useRecentFiles, useTablePaste } from './start/StartPage';
export { UnfinishedWork } from './start/UnfinishedWork';
