import type { OrderView, OrderName } from '@/ipc/bindings';

/** The meaning of an order's status. The service's statuses are assumed, so an unknown one may occur. */
export type OrderStatus = 'planned' | 'running' | 'paused' | 'ended' | 'other';

const STATUS_MEANINGS: Record<string, OrderStatus> = {
  Planned: 'planned',
  'In execution': 'running',
  Paused: 'paused',
  Ended: 'ended',
};

export function orderStatus(order: OrderView): OrderStatus {
  return STATUS_MEANINGS[order.statusDescription] ?? 'other';
}

export type OrderMove = 'begin' | 'pause' | 'resume' | 'end' | 'reset';

/** Returns the most likely action for an order, null for an unknown status. */
export function mainMove(order: OrderView): OrderMove | null {
  const moves: Record<OrderStatus, OrderMove | null> = {
    planned: 'begin',
    running: 'pause',
    paused: 'resume',
    ended: 'reset',
    other: null,
  };
  return moves[orderStatus(order)];
}

/** Returns the less likely actions for an order. */
export function furtherMoves(order: OrderView): OrderMove[] {
  const now = orderStatus(order);
  return now === 'running' || now === 'paused' ? ['end', 'reset'] : [];
}

export function orderName(order: OrderView): OrderName {
  return { code: order.code, operation: order.operationCode || null };
}

/** Returns the share of the requested quantity that was produced, from 0 to 1. */
export function orderProgress(order: OrderView): number {
  const requested = order.requestedQuantity ?? 0;
  if (requested <= 0) return 0;
  return Math.min(1, Math.max(0, (order.producedGoodQuantity ?? 0) / requested));
}
