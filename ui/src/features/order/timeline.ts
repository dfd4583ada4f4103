import type { OrderEvent, OrderSubmission } from '@/ipc/bindings';

/** How long an operation ran, or was paused. */
type Stretch = { operation: string; state: 'running' | 'paused'; from: number; to: number; open: boolean };

/** What happened to an order: an event of its own, or what was sent about it. */
export type TimelineEntry = { at: number; key: string } & ({ kind: 'event'; event: OrderEvent } | { kind: 'sent'; sent: OrderSubmission });

/** When an operation ran and was paused, by its events; what came too late changed nothing. */
export function stretches(events: readonly OrderEvent[], now: number): Stretch[] {
  const result: Stretch[] = [];
  const open = new Map<string, Stretch>();
  for (const event of sorted(events)) {
    if (event.late || event.turn === null || event.turn === 'alert') continue;
    const at = Date.parse(event.at);
    const before = open.get(event.operation);
    if (before && before.state === event.turn) continue;
    if (before) {
      before.to = Math.max(before.from, at);
      before.open = false;
      open.delete(event.operation);
    }
    if (event.turn === 'running' || event.turn === 'paused') {
      const next: Stretch = { operation: event.operation, state: event.turn, from: at, to: Math.max(at, now), open: true };
      open.set(event.operation, next);
      result.push(next);
    }
  }
  return result;
}

/** Everything about an order in time, latest first. */
export function timelineEntries(events: readonly OrderEvent[], sent: readonly OrderSubmission[]): TimelineEntry[] {
  const all: TimelineEntry[] = [
    ...events.map((event) => ({ kind: 'event' as const, at: Date.parse(event.at), key: `${event.line.id}·${event.operation}`, event })),
    ...sent.map((one) => ({ kind: 'sent' as const, at: Date.parse(one.submission.started), key: `sent·${one.submission.id}`, sent: one })),
  ];
  return all.toSorted((a, b) => b.at - a.at || (a.kind === 'event' && b.kind === 'event' ? b.event.line.id - a.event.line.id : 0));
}

/** In the order in which they happened; what happened at the same moment as it came. */
function sorted(events: readonly OrderEvent[]): OrderEvent[] {
  return events.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at) || a.line.id - b.line.id);
}
