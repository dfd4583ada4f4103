export { FloorTab } from './FloorTab';
