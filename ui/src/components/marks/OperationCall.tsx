import type { Operation, StatementAbout } from '@/ipc/bindings';
import { Provenance } from './Provenance';

/** Method and path of an operation. Each says by itself whether it is assumed. */
export function OperationCall({ operation }: { operation: Operation }) {
  const method = said(operation, 'method');
  const path = said(operation, 'path');
  return (
    <>
      <Provenance level={method.level} source={method.source}>
        {operation.method}
      </Provenance>{' '}
      <Provenance level={path.level} source={path.source}>
        <code>{operation.path}</code>
      </Provenance>
    </>
  );
}

function said(operation: Operation, about: StatementAbout) {
  return operation.statements.find((statement) => statement.about === about)?.provenance ?? operation.provenance;
}
