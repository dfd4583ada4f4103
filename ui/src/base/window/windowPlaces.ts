import type { Place } from '@/base/navigation';
import type { MainPlace, WindowView } from '@/ipc/bindings';

/** Where a window begins that shows this alone. */
export function placeOf(view: WindowView): Place {
  if (view.kind === 'floor') return { page: 'events', tab: 'floor', station: view.station ?? undefined };
  return { page: 'browse', operation: view.operation, parameters: view.parameters ?? undefined, find: view.find || undefined };
}

/** What of a place a window can show alone; nothing where it is a page of the main window. */
export function viewOf(place: Place): WindowView | null {
  if (place.page === 'events' && place.tab === 'floor') return { kind: 'floor', station: place.station ?? null };
  if (place.page !== 'browse' || place.operation === undefined) return null;
  return { kind: 'list', operation: place.operation, parameters: place.parameters ?? null, find: place.find ?? '' };
}

/** Whether a place belongs to what the window shows alone: another station, or the same list with other filters. */
export function isWithin(view: WindowView, place: Place): boolean {
  const other = viewOf(place);
  if (view.kind === 'list' && other?.kind === 'list') return view.operation === other.operation;
  return view.kind === other?.kind;
}

/** A place for the main window, as another window hands it over. */
export function toMainPlace(place: Place): MainPlace {
  if (place.page === 'order') return { page: 'order', code: place.code };
  if (place.page === 'events') return { page: 'events', event: place.event ?? null };
  if (place.page !== 'browse' || place.operation === undefined) return { page: 'any' };
  return { page: 'list', operation: place.operation, parameters: place.parameters ?? null, find: place.find ?? null };
}

/** The same in the main window; nothing where it stays as it is. */
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
