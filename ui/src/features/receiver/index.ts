export { ReceiverBar } from './ReceiverBar';
export { ReceiverSettings } from './ReceiverSettings';
export { useIsPractice } from './useIsPractice';
export { useReceiver, useReceiverActions } from './useReceiver';
export { useTray } from './useTray';
