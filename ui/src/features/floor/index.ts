export { FloorTab, MAX_SILENCE_SECONDS, statesOf } from './FloorTab';
export { useFirstFloorRead, useFloor, useFloorRead } from './useFloor';
