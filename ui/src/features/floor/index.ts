export { FloorTab, MAX_SILENCE_SECONDS } from './FloorTab';
export { type ShownState, isOpen, statesOf } from './stationStates';
export { useFirstFloorRead, useFloor, useFloorRead } from './useFloor';
