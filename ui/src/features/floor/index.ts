export { FloorTab, MAX_SILENCE_SECONDS } from './FloorTab';
export { useFloor, useFloorRead } from './useFloor';
