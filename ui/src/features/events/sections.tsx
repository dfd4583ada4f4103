import type { ComponentType } from 'react';

import { ForwardSection } from '@/features/forwarding/ForwardSection';
import { ReplayButton } from '@/features/forwarding/ReplayButton';
import type { EventDetail } from '@/ipc/bindings';
import { AnswerSection } from './AnswerSection';
import { BodySection } from './BodySection';
import { ComingSection } from './ComingSection';

export type SectionProps = { event: EventDetail };

type Part = { id: string; Content: ComponentType<SectionProps> };

/** What stands below each other in an event's detail. One that has nothing to say draws nothing. */
export const sections: readonly Part[] = [
  { id: 'answer', Content: AnswerSection },
  { id: 'body', Content: BodySection },
  { id: 'forwarded', Content: ForwardSection },
  { id: 'coming', Content: ComingSection },
];

/** What can be done with an event, as buttons above its detail. */
export const actions: readonly Part[] = [{ id: 'replay', Content: ReplayButton }];
