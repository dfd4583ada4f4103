import type { ComponentType } from 'react';

import { ForwardSection, ReplayButton } from '@/features/forwarding';
import type { EventDetail } from '@/ipc/bindings';
import { AnswerSection } from './AnswerSection';
import { BodySection } from './BodySection';
import { DeliverySection } from './DeliverySection';

type Part = { id: string; Content: ComponentType<{ event: EventDetail }> };

/** What stands below each other in an event's detail. One that has nothing to say draws nothing. */
export const sections: readonly Part[] = [
  { id: 'answer', Content: AnswerSection },
  { id: 'body', Content: BodySection },
  { id: 'forwarded', Content: ForwardSection },
  { id: 'coming', Content: DeliverySection },
];

/** What can be done with an event, as buttons above its detail. */
export const actions: readonly Part[] = [{ id: 'replay', Content: ReplayButton }];
