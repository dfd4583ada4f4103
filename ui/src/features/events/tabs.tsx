import type { ComponentType, ReactNode } from 'react';

import type { EventTab, EventsPlace } from '../../app/navigation';
import { FloorTab } from '../floor/FloorTab';
import { ForwardTab } from '../forwarding/ForwardTab';
import { AnswersTab } from './answers/AnswersTab';
import { ListTab } from './ListTab';

/** What a tab makes its own page of: the title, the switch between the tabs, and what it was opened with. */
export type TabProps = { title: string; actions: ReactNode; place: EventsPlace };

export const tabs: Record<EventTab, ComponentType<TabProps>> = { list: ListTab, floor: FloorTab, forward: ForwardTab, answers: AnswersTab };
