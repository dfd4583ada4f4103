import type { Operation, StatementAbout } from '../ipc/bindings';
import { Assumed } from './Assumed';

/** Method and path of an operation. Each says by itself whether it is assumed. */
export function OperationCall({ operation }: { operation: Operation }) {
  const method = said(operation, 'method');
  const path = said(operation, 'path');
  return (
    <>
      <Assumed level={method.level} source={method.source}>
        {operation.method}
      </Assumed>{' '}
      <Assumed level={path.level} source={path.source}>
        <code>{operation.path}</code>
      </Assumed>
    </>
  );
}

function said(operation: Operation, about: StatementAbout) {
  return operation.statements.find((statement) => statement.about === about)?.provenance ?? operation.provenance;
}
