import type { StoredPage, Operation, Parameter } from '@/ipc/bindings';
import { operation } from './samples';

const names = { en: '', de: '', es: '', pt: '' };
const provenance = { level: 'assumed' as const, source: 'a test' };

function parameter(name: string, more: Partial<Parameter>): Parameter {
  return { name, in: 'query', kind: 'text', required: false, names: { ...names, en: name }, narrows: null, span: null, provenance, ...more };
}

/** Returns a paged read operation with dates and a code. */
export function readOperation(): Operation {
  return {
    ...operation(),
    id: 'work-orders.list',
    area: 'Work orders',
    kind: 'read',
    method: 'GET',
    path: '/api/v1/WorkOrders',
    paged: true,
    names: { en: 'Work orders', de: 'A', es: 'O', pt: 'O' },
    parameters: [
      parameter('from', { kind: 'date-time', span: 'begin' }),
      parameter('to', { kind: 'date-time', span: 'end' }),
      parameter('code', { narrows: 'code' }),
    ],
    request: null,
    answer: { member: 'data', schema: 'WorkOrder', fields: [], rules: [] },
    key: ['code'],
  };
}

export function page(number: number, pages: number | null = 12): StoredPage {
  const rows = [{ code: `P${number}` }];
  return { set: number, count: rows.length, rows, page: number, pages, total: pages === null ? null : pages * 100, unknown: ['code'] };
}
