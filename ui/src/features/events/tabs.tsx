import type { ComponentType } from 'react';

import type { EventTab, EventTabProps } from '@/base/navigation';
import { AnswersTab } from '@/features/answers';
import { FloorTab } from '@/features/floor';
import { ListTab } from './list/ListTab';

export const tabs: Record<EventTab, ComponentType<EventTabProps>> = { list: ListTab, floor: FloorTab, answers: AnswersTab };
