export { HelpPanel } from './HelpPanel';
export { HelpProvider, useHelp } from './HelpProvider';
