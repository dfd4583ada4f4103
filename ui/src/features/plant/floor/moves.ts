import type { OrderView, OrderName } from '@/ipc/bindings';

/** What an order's status means; the service's words are assumed, so others may come. */
export type PlanStatus = 'planned' | 'running' | 'paused' | 'ended' | 'other';

const standings: Record<string, PlanStatus> = {
  Planned: 'planned',
  'In execution': 'running',
  Paused: 'paused',
  Ended: 'ended',
};

export function standing(order: OrderView): PlanStatus {
  return standings[order.statusDescription] ?? 'other';
}

export type OrderMove = 'begin' | 'pause' | 'resume' | 'end' | 'reset';

/** The one move that a person most likely wants next. */
export function mainMove(order: OrderView): OrderMove | null {
  const moves: Record<PlanStatus, OrderMove | null> = {
    planned: 'begin',
    running: 'pause',
    paused: 'resume',
    ended: 'reset',
    other: null,
  };
  return moves[standing(order)];
}

/** The other moves that fit, for a menu. */
export function furtherMoves(order: OrderView): OrderMove[] {
  const now = standing(order);
  return now === 'running' || now === 'paused' ? ['end', 'reset'] : [];
}

export function orderName(order: OrderView): OrderName {
  return { code: order.code, operation: order.operationCode || null };
}

/** How much of an order is done, from 0 to 1. */
export function progress(order: OrderView): number {
  const requested = order.requestedQuantity ?? 0;
  if (requested <= 0) return 0;
  return Math.min(1, Math.max(0, (order.producedGoodQuantity ?? 0) / requested));
}
