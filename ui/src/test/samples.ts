import type { AppView, ApprovalView, ImportView, Operation, OrderView, Overview, PlanStep, PlanView, Problem, SubmissionView } from '@/ipc/bindings';

const names = { en: 'Materials', de: 'Materialien', es: 'Materiales', pt: 'Materiais' };
const provenance = { level: 'assumed' as const, source: 'not shown' };

export function operation(): Operation {
  return {
    id: 'materials.sync',
    area: 'SKUs and materials',
    areaNames: names,
    kind: 'sync',
    method: 'POST',
    path: '/api/v1/Materials/batch',
    paged: false,
    purpose: '',
    names,
    provenance,
    parameters: [],
    paging: {},
    batch: {},
    request: { member: 'items', schema: 'Material', fields: [], rules: [] },
    answer: null,
    key: ['code'],
    readBack: null,
    pictures: [],
    cleanup: null,
    statements: [],
    total: null,
    batchSize: 100,
  };
}

export function appState(signedIn: boolean): AppView {
  const site = {
    name: 'practice',
    kind: 'practice' as const,
    baseUrl: 'http://127.0.0.1:1',
    authUrl: 'http://127.0.0.1:1',
    clientId: 'c',
    redirectUris: [],
    scope: 's',
    timeZone: 'UTC',
    batchSize: null,
    proxy: null,
    caFile: null,
    reservedPrefix: null,
    allowHttp: false,
  };
  return {
    version: '0.1.0',
    person: 'anna',
    sites: [{ site, chosen: true, signedIn, keychainFailed: false, hasSecret: true, hasProxyPassword: false, hasCertificatePassphrase: false, unencrypted: false, managed: false }],
    onlyManagedSites: false,
    vault: 'memory',
    limit: { limit: 100, remaining: 40, reset: null },
    practiceReady: true,
    language: null,
    interrupted: [],
    salvages: [],
  };
}

const counts = { rows: 4, items: 4, errorRows: 1, warningRows: 0, readyRows: 3, errors: 1, warnings: 0, excluded: 0 };

const step: PlanStep = {
  sheet: 'Materials',
  operation: 'materials.sync',
  part: null,
  state: 'errors',
  order: 1,
  waitsFor: [],
  mayGoEarlier: false,
  mayGoLater: false,
  counts,
};

export function importView(): ImportView {
  return {
    id: 1,
    destination: { site: 'practice', fixed: null },
    file: 'materials.xlsx',
    hash: 'ab',
    sheets: [{ name: 'Materials', rows: 5, columns: 2, visible: true }],
    sheet: 'Materials',
    headerRow: 1,
    head: [
      { row: 1, cells: ['Code', 'Text'] },
      { row: 2, cells: ['MAT-1', '<script>alert(1)</script>'] },
    ],
    operation: 'materials.sync',
    proposals: [{ operation: 'materials.sync', score: 0.9, matched: 2, columns: 2, missing: [] }],
    columns: [
      {
        index: 0,
        letter: 'A',
        heading: 'Code',
        own: false,
        samples: ['MAT-1'],
        matched: { field: 'code', score: 1, reason: 'same-name' },
        also: [],
        formats: [],
        candidates: [],
      },
    ],
    fields: [
      {
        path: 'code',
        kind: 'text',
        required: true,
        provenance: 'assumed',
        names,
        key: true,
        constant: null,
        blank: 'leave',
        clearable: false,
        joined: null,
        replaced: 0,
        allowed: [],
      },
    ],
    missing: ['description'],
    contested: [],
    propertyList: null,
    changes: [],
    settled: false,
    counts,
    previouslyAccepted: 0,
    facets: [{ severity: 'error', code: 'required', field: 'code', count: 1 }],
    sense: { site: null, at: null, needed: false, unchecked: [], problem: null },
    reading: {
      encoding: null,
      separator: null,
      encodings: [],
      quotesAsText: false,
      quote: null,
      letters: null,
      headingRows: 1,
      hiddenRows: 0,
      hiddenColumns: [],
      merged: { cells: 0, columns: [] },
      totalsRow: null,
      choice: { skipHidden: false, keepTotals: false },
    },
    undo: false,
    redo: false,
    edited: 0,
    editedRows: 0,
    replayed: 0,
    touched: 0,
    rejectedRows: 0,
    sentRows: 0,
    steps: [step],
    coversWorkbook: false,
    totals: counts,
    parts: [],
    draft: { kept: false, restored: null, earlier: null },
  };
}

/** Returns a plan with these steps. */
export function plan(...submissions: SubmissionView[]): PlanView {
  return { id: submissions[0]?.id ?? 0, running: submissions.some(({ state }) => state === 'running'), submissions };
}

export function submission(some: Partial<SubmissionView> = {}): SubmissionView {
  return {
    id: 7,
    person: 'anna',
    operation: 'materials.sync',
    site: 'practice',
    file: 'materials.xlsx',
    hash: 'ab',
    sheet: 'Materials',
    started: '2026-11-21T06:00:00Z',
    ended: null,
    state: 'running',
    total: 4,
    items: 4,
    counts: { pending: 3, sending: 0, accepted: 0, rejected: 0, unconfirmed: 0, skipped: 1 },
    batches: 1,
    requests: 0,
    seconds: 0,
    rate: null,
    remainingSeconds: null,
    recent: [],
    problem: null,
    waitingUntil: null,
    plan: 7,
    waiting: 0,
    notLinked: 0,
    findingOut: false,
    follows: null,
    relation: null,
    trial: null,
    purged: null,
    approval: null,
    plantGone: false,
    ...some,
  };
}

/** Returns the engine's problem while a colleague is sending some of these rows. */
export function keysClaimedProblem(): Problem {
  return preconditionProblem('keys-claimed', { rows: '2', person: 'bert@pc7', file: 'week.xlsx', since: new Date().toISOString() });
}

/** Returns the engine's problem if an obstacle prevents a submission. */
export function preconditionProblem(obstacle: string, parameters: Record<string, string> = {}): Problem {
  return { code: 'precondition', message: '', hint: '', parameters: { obstacle, ...parameters }, reasons: [], logId: null, details: null };
}

/** Returns an approval that is requested and not decided yet. */
export function approval(some: Partial<ApprovalView> = {}): ApprovalView {
  return { rows: 4, deletes: false, asked: '2026-11-21T06:00:00Z', askedBy: 'anna', isOwn: true, decision: null, decided: null, decidedBy: null, note: '', ...some };
}

export function plantOrder(some: Partial<OrderView> = {}): OrderView {
  return {
    code: 'WO-260001',
    operationCode: '010',
    materialCode: 'MAT-1001',
    statusDescription: 'Planned',
    requestedQuantity: 100,
    producedGoodQuantity: 0,
    producedBadQuantity: 0,
    beginPlanned: '2026-11-21T15:00:00',
    endPlanned: null,
    ...some,
  };
}

export function plantOverview(some: Partial<Overview> = {}): Overview {
  const running = plantOrder({ code: 'WO-260002', statusDescription: 'In execution', producedGoodQuantity: 40 });
  return {
    now: '2026-11-21T14:05:09.123456789',
    timeZone: 'UTC',
    createdOn: '2026-11-21',
    pace: { state: 'stopped' },
    holdings: [
      { resource: 'materials', rows: 200 },
      { resource: 'stock', rows: 300 },
    ],
    stations: [
      { code: 'WS-01', description: 'saw-1', current: [running], next: [] },
      { code: 'WS-02', description: 'lathe-1', current: [], next: [plantOrder()] },
    ],
    alerts: [],
    supplies: [],
    faults: [],
    faultSeed: 1,
    targets: [],
    deliveries: [],
    requests: 0,
    latest: [],
    snapshots: [],
    durable: false,
    ...some,
  };
}
