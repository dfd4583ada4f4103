import type { ComponentType } from 'react';

import type { EventTab, EventTabProps } from '@/base/navigation';
import { FloorTab } from '@/features/floor/FloorTab';
import { ForwardTab } from '@/features/forwarding/ForwardTab';
import { ListTab } from './ListTab';
import { AnswersTab } from './answers/AnswersTab';

export const tabs: Record<EventTab, ComponentType<EventTabProps>> = { list: ListTab, floor: FloorTab, forward: ForwardTab, answers: AnswersTab };
