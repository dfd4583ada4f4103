import type { OrderTimeSpan, Arrangement, EventQuery, FindingKind, ImportView, PreviewChoice, ResultCounts, Rules } from '@/ipc/bindings';

type Site = string | undefined;

/**
 * What is kept under which key, for every query of the window. A key without its last parts stands for all that begin like it:
 * that is how several are read again at once.
 */
export const queryKeys = {
  // The window and its contract.
  app: ['app'],
  operations: (site: Site) => ['operations', site],
  samples: ['samples'],
  contract: ['contract'],
  contractOperations: (site: string) => ['contract-of-site', site, 'operations'],
  contractComparison: (site: string, before: number, after: number) => ['contract-of-site', site, 'comparison', before, after],
  contractDrift: (site: string) => ['contract-of-site', site, 'drift'],
  contractVersions: (site: string) => ['contract-of-site', site, 'versions'],
  eventKinds: ['event-kinds'],
  orderLists: ['order-lists'],
  rowOperations: (list: string) => ['becomes', list],
  helpPages: (site: Site, language: string) => ['help', site, language, 'pages'],
  helpPage: (site: Site, language: string, page: string) => ['help', site, language, 'page', page],
  helpMatches: (site: Site, language: string, query: string) => ['help', site, language, 'matches', query],
  licenses: ['licenses'],
  storage: ['storage'],
  team: ['team'],
  updates: ['update'],
  update: (language: string) => ['update', language],
  updateInstallable: (version: string) => ['update', 'installable', version],
  tray: ['tray'],
  notices: ['notices'],

  // Lists of the service.
  lastList: (site: Site) => ['last-list', site],
  listFilters: (site: Site, operation: string) => ['read-filters', site, operation],
  listPage: (operation: string, parameters: object, page: number, limit: number, round: number) => ['browse', operation, parameters, page, limit, round],
  listSpans: (site: Site) => ['spans', site],
  tableViews: (site: Site, operation: string) => ['table', site, operation],
  row: (set: number, position: number) => ['row', set, position],
  columnValues: (set: number | null, path: string) => ['values', set, path],
  picture: (drawing: { set: number; rows: number; arrangement: Arrangement }, picture: string, by: number) => ['picture', drawing, picture, by],
  pictureCalendar: (site: Site, operation: string, picture: string) => ['picture-calendar', site, operation, picture],
  movedBars: (site: Site, operation: string) => ['moved-bars', site, operation],
  order: (code: string) => ['order', code],
  orderList: (code: string, site: Site, operation: string | undefined, around: OrderTimeSpan | null) => ['order', code, site, operation, around],
  orderExists: (code: string, site: Site) => ['order-exists', code, site],
  recentOrders: (site: Site) => ['recent-orders', site],
  orderSubmissions: (code: string, site: Site) => ['order', code, site, 'submissions'],
  orderEvents: (code: string, site: Site) => ['order', code, site, 'events'],
  graphqlQueries: (site: string) => ['graphql', site, 'kept'] as const,
  graphqlSchema: (site: string) => ['graphql', site, 'schema'],
  graphqlRows: (id: number, path: string) => ['graphql', 'rows', id, path],

  // The import.
  recentFiles: ['recent-files'],
  textPreview: (id: number, encoding: string, separator: string, quotesAsText: boolean) => ['preview', id, encoding, separator, quotesAsText],
  fieldValues: (view: ImportView, field: string) => ['values', view, field],
  findingValues: (view: ImportView, kind: FindingKind) => ['found', view, kind],
  importLinks: (site: string, id: number, choice: PreviewChoice | null) => ['links-of-import', site, id, choice],

  // Submissions and their history.
  submissions: ['submissions'],
  submission: (id: number) => ['submission', id],
  plan: (id: number) => ['plan', id],
  submissionContext: (id: number) => ['submissionContext', id],
  approvals: ['approvals'],
  approvalRows: (id: number) => ['approval-rows', id],
  requestBody: (id: number, request: number) => ['request-body', id, request],
  rejectedRows: (id: number, rejected: number) => ['rejected', id, rejected],
  undoableRows: (id: number, accepted: number) => ['undoable', id, accepted],
  undoPlan: (id: number) => ['undo', id],
  rehearsalComparison: (id: number, counts: ResultCounts) => ['rehearsal-comparison', id, counts],
  unconfirmedTotals: (id: number, unconfirmed: number) => ['unconfirmed-totals', id, unconfirmed],
  laterEvents: ['after'],
  rowEvents: (id: number, key: string, batch: number | null) => ['after', id, key, batch],
  ordersNotBegun: (id: number, accepted: number) => ['after', id, 'not-begun', accepted],

  // Templates.
  templateReadings: ['templates'],
  templateReading: (id: number | undefined) => ['templates', id],
  templateIds: ['remembered'],
  templateIdsOf: (site: string) => ['remembered', site],
  templateLists: (site: string) => ['template-lists', site],
  templateUse: (site: string) => ['template-use', site],
  templateUseReading: (site: string) => ['template-use-reading', site],
  cleanupLinks: (site: string) => ['cleanup', site],
  affectedOrders: (site: string, templates: readonly number[]) => ['affected', site, templates],
  deletions: ['deleted'],
  deletion: (file: string) => ['deleted', file],

  // Events, and what is made of them.
  event: (id: number) => ['event', id],
  eventFilter: ['events', 'looked-for'],
  eventGaps: ['event-gaps'],
  eventGapsOf: (site: string) => ['event-gaps', site],
  receivers: ['receiver'],
  receiver: (site: Site) => ['receiver', site],
  floors: ['floor'],
  floor: (site: Site) => ['floor', site],
  stationEvents: (site: string, station: string, newest: number) => ['floor-last', site, station, newest],
  forwarding: ['forwarding'],
  forwardTargets: ['forwarding', 'targets'],
  forwardAside: (target: number, aside: number) => ['forwarding', 'aside', target, aside],
  forwardedEvent: (event: number) => ['forwarding', 'event', event],
  replayPlan: (query: EventQuery, to: object | null) => ['replay-plan', query, to],
  replayAddress: ['replay-to'],
  rules: (site: string) => ['rules', site],
  rulesDraft: (site: string) => ['rules-draft', site],
  rulesChecks: (site: string) => ['rules-check', site],
  rulesCheck: (site: string, rules: Rules | undefined) => ['rules-check', site, rules],
  rulesFailing: ['rules-failing'],
  rulesFailingOf: (site: Site) => ['rules-failing', site],
  ruleWords: ['rule-words'],

  // The practice plant.
  plant: ['plant'],
  practicePlant: ['practice'],
};
