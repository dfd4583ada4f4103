export { EventExport } from './EventExport';
export { ForwardSection } from './ForwardSection';
export { ForwardTab } from './ForwardTab';
export { ReplayButton } from './ReplayButton';
export { useStoppedNotice } from './useStoppedNotice';
