import type { EventTab, IntegrationTab, Place } from '@/base/navigation';
import type { Step } from '@/features/import-session';

const eventPages: Record<EventTab, string> = { list: 'events', floor: 'floor', answers: 'answers' };
const integrationPages: Record<IntegrationTab, string> = { forward: 'forwarding', graphql: 'graphql' };

/** Returns the help page for a place. `step` is the current import step, null without a file. */
export function helpPageOf(place: Place, step: Step | null): string {
  switch (place.page) {
    case 'import':
      return step ?? 'home';
    case 'events':
      return eventPages[place.tab ?? 'list'];
    case 'integrations':
      return integrationPages[place.tab ?? 'forward'];
    case 'settings':
      return place.contract === undefined ? 'settings' : 'contract';
    case 'browse':
    case 'order':
    case 'templates':
    case 'history':
    case 'plant':
      return place.page;
  }
}
