import { MantineProvider } from '@mantine/core';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { buildSchema } from 'graphql';
import { useState } from 'react';
import { afterEach, beforeAll, expect, test } from 'vitest';

import { initTranslations } from '@/base/words';
import { cleanUp } from '@/test/cleanup';
import { type DocsPlace, SchemaDocs, searchSchema } from './SchemaDocs';

const schema = buildSchema(`
  type Query { "<b>Orders</b> of the site." orders(limit: Int = 5, state: State!): [Order!]! gone: Int @deprecated(reason: "Use orders.") }
  type Order implements Named { code: String! state: State }
  interface Named { code: String! }
  enum State { "Not ended." OPEN CLOSED @deprecated(reason: "Ended.") }`);

beforeAll(initTranslations);
afterEach(cleanUp);

function renderDocs(start: DocsPlace[] = []) {
  function Page() {
    const [trail, setTrail] = useState(start);
    return <SchemaDocs schema={schema} trail={trail} setTrail={setTrail} />;
  }
  render(
    <MantineProvider>
      <Page />
    </MantineProvider>,
  );
  return screen.getByTestId('graphql-explorer');
}

const clickButton = (name: string) => act(async () => fireEvent.click(screen.getAllByRole('button', { name })[0] as HTMLElement));

test('leads from the root to a field, its type, and back', async () => {
  const page = renderDocs();
  expect(page.textContent).toContain('Named');
  await clickButton('Query');
  expect(page.textContent).toContain('orders(limit: Int = 5, state: State!): [Order!]!');
  // Descriptions are shown as text, never as markup.
  expect(page.textContent).toContain('<b>Orders</b> of the site.');
  expect(page.querySelector('b')).toBeNull();
  await clickButton('orders');
  expect(screen.getByTestId('graphql-docs-title').textContent).toBe('orders');
  expect(page.textContent).toContain('limit: Int = 5');
  await clickButton('Order');
  expect(page.textContent).toContain('Named');
  await act(async () => fireEvent.click(screen.getByTestId('graphql-docs-back')));
  expect(screen.getByTestId('graphql-docs-title').textContent).toBe('orders');
});

test('shows what is deprecated when it is asked for', async () => {
  const page = renderDocs([{ type: 'Query' }]);
  expect(page.textContent).not.toContain('gone');
  await act(async () => fireEvent.click(screen.getByTestId('graphql-docs-deprecated')));
  expect(page.textContent).toContain('gone: IntDeprecated: Use orders.');
});

test('shows values of an enum, implementations, and only what the schema has', () => {
  const page = renderDocs([{ type: 'Query' }, { type: 'State' }]);
  expect(page.textContent).toContain('OPENNot ended.');
  cleanup();
  renderDocs([{ type: 'Named' }, { type: 'Vanished' }]);
  expect(screen.getByTestId('graphql-docs-title').textContent).toBe('Named');
  expect(screen.getByTestId('graphql-explorer').textContent).toContain('Order');
});

test('finds types, fields and arguments', async () => {
  renderDocs([{ type: 'Order' }]);
  await act(async () => fireEvent.change(screen.getByTestId('graphql-docs-search'), { target: { value: 'sta' } }));
  const matches = within(screen.getByTestId('graphql-docs-matches'));
  expect(matches.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Order.state', 'State', 'Query.orders(state)']);
  await act(async () => fireEvent.click(matches.getByText('State')));
  expect(screen.getByTestId('graphql-docs-title').textContent).toBe('State');
  expect(searchSchema(schema, 'nothing at all')).toEqual([]);
});
