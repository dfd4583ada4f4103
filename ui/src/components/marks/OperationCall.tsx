import { memo } from 'react';

import type { ProvenanceStatement } from '@/base/provenance';
import type { Operation, StatementAbout } from '@/ipc/bindings';
import { Provenance } from './Provenance';

/** An operation's method and path, and the parameters that Takt fills in. Assumed ones are marked. */
export const OperationCall = memo(function OperationCall({ operation }: { operation: Operation }) {
  const parameters = filledInParameters(operation);
  return (
    <>
      <Provenance of={provenanceOf(operation, 'method')}>{operation.method}</Provenance>{' '}
      <Provenance of={provenanceOf(operation, 'path')}>
        <code>{operation.path}</code>
      </Provenance>
      {parameters.names.length > 0 && (
        <>
          {' '}
          <Provenance of={parameters.of}>
            <code>{parameters.names.join(', ')}</code>
          </Provenance>
        </>
      )}
    </>
  );
});

function provenanceOf(operation: Operation, about: StatementAbout): ProvenanceStatement {
  return { provenance: operation.statements.find((statement) => statement.about === about)?.provenance ?? operation.provenance };
}

const BODY_NAMES = ['request', 'answer'];

/** Returns the assumptions about parameters without a field in the window, such as page and limit. */
function filledInParameters(operation: Operation): { names: string[]; of: ProvenanceStatement } {
  const visibleNames = new Set([...BODY_NAMES, ...operation.parameters.map((parameter) => parameter.name)]);
  const keywords = operation.statements.filter(({ about, at }) => about === 'keyword' && !visibleNames.has(firstWord(at)));
  const assumed = Object.fromEntries(keywords.map(({ at, provenance }) => [at.replace(' schema.', ' '), provenance.source]));
  const names = [...new Set(keywords.map(({ at }) => firstWord(at)))];
  return { names, of: { provenance: { level: 'specified', source: '' }, assumed } };
}

/** Returns the parameter's name: `limit` for `limit schema.default`. */
function firstWord(at: string): string {
  return at.split(' ', 1)[0] ?? at;
}
