import type { GraphQLSchema } from 'graphql';
import { useTranslation } from 'react-i18next';

import { DetailPanel } from '@/components/page/DetailPanel';
import type { QuerySession } from './common/useQuerySession';
import { type DocsPlace, SchemaDocs } from './docs/SchemaDocs';
import { SavedQueries } from './editor/SavedQueries';

export type SidePanelName = 'docs' | 'kept';

type Props = {
  session: QuerySession;
  schema: GraphQLSchema | null;
  docs: DocsPlace[];
  setDocs: (docs: DocsPlace[]) => void;
  sheet: SidePanelName;
  close: () => void;
};

/** The panel on the right: the schema, or saved and recent queries. */
export function SidePanel({ session, schema, docs, setDocs, sheet, close }: Props) {
  const { t } = useTranslation();
  return (
    <DetailPanel title={t(`graphql.${sheet}`)} close={close}>
      {sheet === 'docs' ? <SchemaDocs schema={schema} trail={docs} setTrail={setDocs} /> : <SavedQueries session={session} />}
    </DetailPanel>
  );
}
