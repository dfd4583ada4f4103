import type { ComponentType, ReactNode } from 'react';

import type { EventsPlace } from '../../app/navigation';
import { FloorTab } from '../floor/FloorTab';
import { ForwardTab } from '../forwarding/ForwardTab';
import { AnswersTab } from './answers/AnswersTab';
import { ListTab } from './ListTab';

/** What a tab makes its own page of: the title, the switch between the tabs, and what it was opened with. */
export type TabProps = { title: string; actions: ReactNode; place: EventsPlace };

type Tab = { id: string; Content: ComponentType<TabProps> };

/** The page's tabs in their order; each is called `inbox.tabs.` and its id. */
export const tabs = [
  { id: 'list', Content: ListTab },
  { id: 'floor', Content: FloorTab },
  { id: 'forward', Content: ForwardTab },
  { id: 'answers', Content: AnswersTab },
] as const satisfies readonly Tab[];
