export { ChangeMenu } from './ChangeMenu';
