import type { FloorAlertView, FloorStationView, StationState } from '@/ipc/bindings';

/** A state as shown. An alarm that was acknowledged differs from an open one, because someone already takes care of it. */
export type ShownState = StationState | 'acknowledged';

export const SHOWN_STATES: readonly ShownState[] = ['alarm', 'acknowledged', 'running', 'paused', 'begun', 'idle', 'unknown'];

export function isOpen(alert: FloorAlertView): boolean {
  return alert.acknowledged === null;
}

/** Returns the state of a whole station. An alarm is open until each of its alerts is acknowledged. */
export function shownState({ state, alerts }: FloorStationView): ShownState {
  return state === 'alarm' && alerts.length > 0 && !alerts.some(isOpen) ? 'acknowledged' : state;
}

/** Returns the states of a station's alerts and orders. A station with an alert may run, too. */
export function statesOf(station: FloorStationView): ReadonlySet<ShownState> {
  const alerts = station.alerts.map((alert): ShownState => (isOpen(alert) ? 'alarm' : 'acknowledged'));
  const orders = station.orders.map((order): ShownState => (order.state === 'running' || order.state === 'paused' ? order.state : 'begun'));
  return new Set([shownState(station), ...alerts, ...orders]);
}

function isAlarm(station: FloorStationView): boolean {
  return ['alarm', 'acknowledged'].includes(shownState(station));
}

function isAcknowledged(station: FloorStationView): boolean {
  return shownState(station) === 'acknowledged';
}

/** Sorts stations whose alerts are all acknowledged after those with an open one. Otherwise, the engine's order remains. */
export function sortStations(stations: readonly FloorStationView[]): FloorStationView[] {
  const alarms = stations.filter(isAlarm).toSorted((one, other) => Number(isAcknowledged(one)) - Number(isAcknowledged(other)));
  return [...alarms, ...stations.filter((station) => !isAlarm(station))];
}
