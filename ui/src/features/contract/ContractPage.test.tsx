import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

import { App } from '@/app/App';
import { initTranslations } from '@/base/words';
import type { AppView, ContractPreview, ContractVersion, Language, MatchChoice, Operation, OperationDifference, OperationMatch } from '@/ipc/bindings';
import { mockIPC, mockWindows } from '@/ipc/mocks';
import english from '@/locales/en.json';
import { cleanUp } from '@/test/cleanup';
import { appState, operation, plantOverview } from '@/test/samples';
import contract from '../../../../src-tauri/crates/takt-contract/contract/takt.openapi.json';

const field = (name: string, required: boolean) => ({ name, kind: 'text' as const, required, form: null, level: 'site' as const });

const difference: OperationDifference = {
  id: 'materials.sync',
  kind: 'changed',
  before: 'assumed',
  after: 'site',
  parts: [{ part: 'path', before: '/api/v1/Materials/batch', after: '/articles' }],
  fields: [
    { place: 'request', path: 'code', kind: 'changed', before: field('code', true), after: field('ArticleNumber', true) },
    { place: 'request', path: 'colour', kind: 'added', before: null, after: field('Colour', false) },
    { place: 'answer', path: 'description', kind: 'confirmed', before: field('description', true), after: field('description', true) },
  ],
};

const candidate = (path: string, score: number) => ({ method: 'POST', path, score, reasons: ['fields' as const] });
const articles = { method: 'POST', path: '/articles' };

const unitAssumption = { id: 'retry-after-unit', subject: 'Unit of retryAfter', decision: 'Seconds.', value: null, provenance: { level: 'assumed', source: 'Errors' } };
const signatureAssumption = { id: 'event-delivery', subject: 'Signature', decision: 'A header.', value: { headers: { signature: 'X-Takt-Signature' } }, provenance: { level: 'site', source: 'works.yaml' } };

const unknownAssumption = { id: 'unheard-of', subject: 'Something that only a document knows', decision: 'So.', value: null, provenance: { level: 'site', source: 'works.yaml' } };
const lists = { id: 'sent-lists', subject: 'A list within an item', before: { '*': 'replaces' }, after: { '*': 'adds' } };

let calls: { command: string; args: Record<string, unknown> }[] = [];
let versions: ContractVersion[] = [];
let operations: Operation[] = [];

const noDocument = { code: 'precondition', message: 'There is no document at a usual place.', hint: 'Ask for its address.', parameters: {}, details: null };

beforeAll(async () => {
  await Promise.all([initTranslations(), import('./ContractPage'), import('@/features/settings/SettingsPage')]);
});

beforeEach(() => {
  calls = [];
  versions = [];
  operations = [operation(), { ...operation(), id: 'skus.sync', names: { en: 'SKUs', de: '', es: '', pt: '' }, provenance: { level: 'specified', source: '' } }];
  const answers: Record<string, (args: Record<string, unknown>) => unknown> = {
    app_state: appWithSite,
    operations: () => operations,
    plant_overview: () => plantOverview(),
    samples: () => [],
    submission_list: () => [],
    contract_operations: () => operations,
    contract_assumptions: () => [unitAssumption, signatureAssumption, unknownAssumption],
    contract_replace_assumptions: () => 2,
    contract_versions: () => versions,
    contract_pick: () => preview([]),
    contract_fetch: ({ address }) => (address ? preview([]) : Promise.reject(noDocument)),
    contract_match: ({ choices }) => preview(choices as MatchChoice[]),
    contract_take: () => addVersion('works.yaml'),
    contract_restore: ({ number }) => addVersion(versions.find((one) => one.number === number)?.source ?? ''),
  };
  mockWindows('main');
  mockIPC(
    (command, values) => {
      calls.push({ command, args: (values ?? {}) as Record<string, unknown> });
      return answers[command]?.((values ?? {}) as Record<string, unknown>);
    },
    { shouldMockEvents: true },
  );
});

afterEach(cleanUp);

function appWithSite(): AppView {
  const state = appState(true);
  const [practice] = state.sites;
  if (practice) state.sites.push({ ...practice, chosen: false, site: { ...practice.site, name: 'works', kind: 'test' } });
  return state;
}

function preview(choices: MatchChoice[]): ContractPreview {
  const chosen = choices.find((one) => one.operation === 'materials.sync')?.target;
  const [best, decision] = chosen
    ? [{ ...chosen, score: 1, reasons: ['hand' as const] }, 'matched' as const]
    : [candidate('/articles', 0.5), 'ask' as const];
  const found: OperationMatch = { operation: 'materials.sync', best, runnerUp: chosen ? null : candidate('/parts', 0.45), decision };
  const missing: OperationMatch = { operation: 'skus.sync', best: null, runnerUp: null, decision: 'missing' };
  return { title: 'Works', source: 'works.yaml', matches: [found, missing], differences: chosen ? [difference] : [], effects: [{ operation: 'materials.sync', mappings: 2, pictures: [] }], assumptions: chosen ? [lists] : [], targets: [articles, { method: 'POST', path: '/parts' }] };
}

function addVersion(source: string): number {
  const number = versions.length + 1;
  versions = [{ number, at: '2026-11-23T08:00:00Z', person: 'Ada', source }, ...versions];
  for (const one of operations) one.provenance = { level: source ? 'site' : 'assumed', source };
  return number;
}

async function renderPage(site = 'works', language: Language = 'en') {
  render(<App preferences={{ language, look: 'light', density: 'compact' }} />);
  fireEvent.click(await screen.findByTestId('nav-settings'));
  fireEvent.click(await screen.findByTestId(`contract-${site}`, {}, { timeout: 20_000 }));
  await screen.findByTestId('contract-current', {}, { timeout: 20_000 });
}

function argumentsOf(command: string): Record<string, unknown>[] {
  return calls.filter((call) => call.command === command).map((call) => call.args);
}

test('a site without a document has the built-in interface description, and what is assumed of it is a list', async () => {
  await renderPage();
  expect(screen.queryByTestId('contract-practice')).toBeNull();
  expect(screen.getByTestId('contract-current').textContent).toContain('Built in');
  expect(screen.getByTestId('contract-guide')).toHaveProperty('open', true);
  expect(screen.getByTestId('guide-document').dataset.done).toBe('false');
  expect(screen.getByTestId('contract-counts').textContent).toContain('1 specified, 1 assumed');
  expect(screen.getByTestId('contract-operation-skus.sync').textContent).toContain('Specified');
  fireEvent.click(screen.getByText('Still assumed (1)'));
  expect(screen.queryByTestId('contract-operation-skus.sync')).toBeNull();
  expect(screen.getByTestId('contract-operation-materials.sync').textContent).toContain('1 of 1');
});

test('what is assumed of the whole service is shown with who says so, and can be replaced', async () => {
  await renderPage();
  const assumed = await screen.findByTestId('assumption-retry-after-unit');
  expect(assumed.textContent).toContain('Unit of retryAfter');
  expect(assumed.textContent).toContain('Assumed');
  expect(screen.queryByTestId('assumption-edit-retry-after-unit')).toBeNull();
  expect(screen.getByTestId('assumption-event-delivery').textContent).toContain('From the site');
  fireEvent.click(screen.getByTestId('assumption-edit-event-delivery'));
  const value = screen.getByTestId('assumption-value-event-delivery');
  fireEvent.change(value, { target: { value: '{' } });
  expect(screen.getByTestId('assumption-save-event-delivery')).toHaveProperty('disabled', true);
  fireEvent.change(value, { target: { value: '{"headers":{"signature":"X-Hub-Signature-256"}}' } });
  fireEvent.click(screen.getByTestId('assumption-save-event-delivery'));
  await waitFor(() => expect(argumentsOf('contract_replace_assumptions')).toEqual([
    { site: 'works', edits: [{ id: 'event-delivery', value: { headers: { signature: 'X-Hub-Signature-256' } } }] },
  ]));
});

test('what is assumed is called in the language of the window, and what the language files do not know as the document has it', async () => {
  await renderPage('works', 'de');
  const subject = async (id: string) => {
    const heading = (await screen.findByTestId(`assumption-${id}`)).querySelector('th');
    return [heading?.textContent, heading?.lang];
  };
  await waitFor(async () => expect(await subject('retry-after-unit')).toEqual([expect.stringContaining('Einheit von retryAfter'), '']));
  expect(await subject('unheard-of')).toEqual([expect.stringContaining('Something that only a document knows'), 'en']);
});

test('the practice plant shows the built-in interface description, and nothing of it can be changed', async () => {
  await renderPage('practice');
  expect(screen.getByTestId('contract-current').textContent).toContain('the practice plant follows');
  expect((await screen.findByTestId('assumption-event-delivery')).textContent).toContain('A header.');
  expect(screen.getByTestId('contract-operation-materials.sync').textContent).toContain('1 of 1');
  for (const id of ['load', 'fetch', 'learn', 'guide', 'edit-materials.sync']) expect(screen.queryByTestId(`contract-${id}`)).toBeNull();
  expect(screen.queryByTestId('assumption-edit-event-delivery')).toBeNull();
  expect(argumentsOf('contract_assumptions')).toEqual([{ site: 'practice' }]);
});

test('a document is looked at, corrected, taken and taken back', async () => {
  await renderPage();
  fireEvent.click(screen.getByTestId('contract-load'));
  expect((await screen.findByTestId('contract-found')).textContent).toContain('0 of 2 operations');
  expect(screen.getByTestId('contract-undecided').textContent).toContain('keeps the built-in description');
  expect(screen.getByTestId('contract-effects').textContent).toContain('Materials: 2 saved mappings use');
  expect(screen.getByTestId('match-materials.sync').textContent).toContain('Please check');
  expect(screen.getByTestId('match-skus.sync').textContent).toContain('Not in the document');
  fireEvent.click(screen.getByTestId('offer-materials.sync-POST /articles'));
  await waitFor(() => expect(screen.getByTestId('match-materials.sync').textContent).toContain('Chosen by you'));
  expect(argumentsOf('contract_match')).toEqual([{ site: 'works', choices: [{ operation: 'materials.sync', target: articles }] }]);
  expect(screen.queryByTestId('contract-undecided')).toBeNull();
  expect(screen.getByTestId('changes-materials.sync').textContent).toBe('2 changed, 1 new, 1 confirmed');
  fireEvent.click(screen.getByTestId('changes-materials.sync'));
  const renamed = screen.getByTestId('difference-request-code').textContent;
  expect(renamed).toContain('Changed');
  expect(renamed).toContain('ArticleNumber');
  expect(screen.getByTestId('difference-request-colour').textContent).toContain('Colour text · optional');
  const assumed = screen.getByTestId('contract-assumption-sent-lists').textContent;
  expect(assumed).toContain('{"*":"replaces"}');
  expect(assumed).toContain('{"*":"adds"}');
  fireEvent.click(screen.getByTestId('contract-take'));
  await waitFor(() => expect(screen.getByTestId('contract-current').textContent).toContain('Version 1 from works.yaml, loaded by Ada'));
  await waitFor(() => expect(screen.getByTestId('contract-counts').textContent).toContain('2 from the site'));
  expect(screen.getByTestId('guide-document').dataset.done).toBe('true');
  expect(screen.getByTestId('contract-guide')).toHaveProperty('open', false);
  fireEvent.click(screen.getByTestId('contract-builtin'));
  await waitFor(() => expect(screen.getByTestId('contract-current').textContent).toContain('Version 2: the built-in interface description'));
  expect(argumentsOf('contract_restore')).toEqual([{ site: 'works', number: 0 }]);
  await waitFor(() => expect((screen.getByTestId('contract-restore-1') as HTMLButtonElement).disabled).toBe(false));
  fireEvent.click(screen.getByTestId('contract-restore-1'));
  await waitFor(() => expect(screen.getByTestId('contract-current').textContent).toContain('Version 3 from works.yaml'));
});

test('a document that the site has at no usual place is asked for at an address', async () => {
  await renderPage();
  fireEvent.click(screen.getByTestId('contract-fetch'));
  fireEvent.change(await screen.findByTestId('contract-address'), { target: { value: ' /docs/openapi.json ' } });
  fireEvent.click(screen.getByTestId('contract-fetch-at'));
  expect((await screen.findByTestId('contract-found')).textContent).toContain('0 of 2 operations');
  expect(screen.queryByTestId('contract-address')).toBeNull();
  expect(argumentsOf('contract_fetch')).toEqual([
    { site: 'works', address: null },
    { site: 'works', address: '/docs/openapi.json' },
  ]);
});

test('what a cancelled preview would have changed is forgotten', async () => {
  await renderPage();
  fireEvent.click(screen.getByTestId('contract-load'));
  fireEvent.click(await screen.findByTestId('contract-cancel'));
  expect(screen.queryByTestId('contract-preview')).toBeNull();
  expect(screen.getByTestId('contract-current').textContent).toContain('Built in');
  expect(argumentsOf('contract_take')).toEqual([]);
});

test('each assumption of the built-in contract has its name in the language files', () => {
  const assumptions = contract['x-takt-assumptions'].map(({ id }) => id);
  expect(Object.keys(english.contract.assumptions.subjects).toSorted()).toEqual(assumptions.toSorted());
});
