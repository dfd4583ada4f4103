import type { Place } from '@/base/navigation';
import type { MainPlace, WindowView } from '@/ipc/bindings';

/** Returns the initial place of a secondary window. */
export function placeOf(view: WindowView): Place {
  if (view.kind === 'floor') return { page: 'events', tab: 'floor', station: view.station ?? undefined };
  return { page: 'browse', operation: view.operation, parameters: view.parameters ?? undefined, find: view.find || undefined };
}

/** Returns the part of a place that a secondary window can show, null if it needs the main window. */
export function viewOf(place: Place): WindowView | null {
  if (place.page === 'events' && place.tab === 'floor') return { kind: 'floor', station: place.station ?? null };
  if (place.page !== 'browse' || place.operation === undefined) return null;
  return { kind: 'list', operation: place.operation, parameters: place.parameters ?? null, find: place.find ?? '' };
}

/** Whether a place belongs to the window's view: another station, or the same list with other filters. */
export function isWithin(view: WindowView, place: Place): boolean {
  const other = viewOf(place);
  if (view.kind === 'list' && other?.kind === 'list') return view.operation === other.operation;
  return view.kind === other?.kind;
}

/** Converts a place to the form that is sent to the main window. */
export function toMainPlace(place: Place): MainPlace {
  if (place.page === 'order') return { page: 'order', code: place.code };
  if (place.page === 'events') return { page: 'events', event: place.event ?? null };
  if (place.page !== 'browse' || place.operation === undefined) return { page: 'any' };
  return { page: 'list', operation: place.operation, parameters: place.parameters ?? null, find: place.find ?? null };
}

/** Converts a received place. Returns null if the main window only comes to the front. */
export function fromMainPlace(place: MainPlace): Place | null {
  switch (place.page) {
    case 'any':
      return null;
    case 'order':
      return { page: 'order', code: place.code };
    case 'events':
      return { page: 'events', tab: 'list', event: place.event ?? undefined };
    case 'list':
      return { page: 'browse', operation: place.operation, parameters: place.parameters ?? undefined, find: place.find ?? undefined };
  }
}
