// Reads every work order by day, sends a batch with one invalid order, and requests a missing template.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

declare const process: { env: Record<string, string | undefined> };

const client = createClient<paths>({
  baseUrl: process.env['BASE_URL'] ?? '',
  headers: { Authorization: `Bearer ${process.env['TOKEN']}` },
});

type Row = components['schemas']['WorkOrderRow'];
const rows: Row[] = [];
for (let page = 1, pages = 1; page <= pages; page += 1) {
  const { data, response } = await client.GET('/api/v1/WorkOrders', { params: { query: { from: '2020-01-01', page, limit: 100 } } });
  if (!data) throw new Error(`page ${page}: ${response.status}`);
  rows.push(...data.data);
  pages = Number(response.headers.get('X-Pagination-Pages'));
}
const order = (code: string, requestedQuantity: number): components['schemas']['WorkOrder'] => ({
  code,
  operationCode: '010',
  materialCode: 'MAT-1001',
  requestedQuantity,
  beginPlanned: '2036-01-01T06:00:00',
  endPlanned: '2036-01-01T07:30:00',
});
const sent = await client.POST('/api/v1/WorkOrders/batch', { body: { items: [order('TS-1', 5), order('TS-2', 0)] } });
const missing = await client.GET('/api/v1/ProcessExecutionTemplates/{templateId}/Processes', {
  params: { path: { templateId: 99 } },
});
const dated = rows.find(({ beginPlanned }) => beginPlanned !== null);
console.log(
  JSON.stringify({
    orders: rows.length,
    begin: dated?.beginPlanned,
    accepted: sent.data?.successCount,
    refused: sent.data?.results.filter(({ success }) => !success).map(({ code }) => code),
    missing: missing.response.status,
    said: missing.error && 'errors' in missing.error ? missing.error.errors : [],
  }),
);
