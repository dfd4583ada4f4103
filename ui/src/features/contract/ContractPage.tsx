import { Button, Group } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { SiteLabel } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import {
  commands,
  type ContractPreview,
  type ContractTest,
  type ContractVersion,
  type Operation,
  type OperationEdit,
} from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

import { CurrentContract } from './CurrentContract';
import { Drift } from './Drift';
import { FetchDocument } from './FetchDocument';
import { GlobalAssumptions } from './GlobalAssumptions';
import { Learned } from './Learned';
import { EditedOperations } from './editor/EditedOperations';
import { OperationEditor } from './editor/OperationEditor';
import { editsOf, type OperationDrafts } from './editor/operationDrafts';
import { Operations } from './Operations';
import { Preview } from './Preview';
import { Versions } from './Versions';
import { useContractChange } from './useContractChange';
import styles from './common/contract.module.css';

type Props = { site: string; operations: Operation[]; versions: ContractVersion[] };

/** The steps to connect a new site, in recommended order. */
const STEPS = ['document', 'signIn', 'answers', 'assumed', 'trial'] as const;

/** Checklist for connecting a site. It is open until the site has its own contract. */
function ConnectGuide({ site, operations, versions }: Props) {
  const { t } = useTranslation();
  const { data } = useAppState();
  const has = (level: string) => operations.some(({ provenance }) => provenance.level === level);
  const taken = Boolean(versions[0]?.source);
  const done: Partial<Record<(typeof STEPS)[number], boolean>> = {
    document: taken && has('site'),
    signIn: data?.sites.some((view) => view.site.name === site && view.signedIn) ?? false,
    answers: has('observed'),
    assumed: !has('assumed'),
  };
  return (
    <details className={styles.guide} open={!taken} data-testid="contract-guide">
      <summary>{t('contract.guide.title')}</summary>
      <ol>
        {STEPS.map((step) => (
          <li key={step} data-done={done[step] ?? false} data-testid={`guide-${step}`}>
            {t(`contract.guide.${step}`)} {done[step] && <span className="muted small">{t('contract.guide.done')}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}

/**
 * A site's contract: the version in force, a preview of changes, and earlier versions. The practice plant's built-in contract is
 * read-only.
 */
export function ContractPage({ site }: { site: string }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { data: state } = useAppState();
  const isPractice = state?.sites.some((view) => view.site.name === site && view.site.kind === 'practice') === true;
  const [preview, setPreview] = useState<ContractPreview | null>(null);
  const [learned, setLearned] = useState<ContractTest | null>(null);
  const [edited, setEdited] = useState<string | null>(null);
  const operations = useQuery({ queryKey: queryKeys.contractOperations(site), queryFn: () => commands.contractOperations(site) });
  const versions = useQuery({ queryKey: queryKeys.contractVersions(site), queryFn: () => commands.contractVersions(site) });
  const load = useMutation({
    mutationFn: () => commands.contractPick(site, t('contract.pickTitle', { site })),
    onSuccess: (found) => found && setPreview(found),
  });
  const fetch = useMutation({
    mutationFn: (address: string | null) => commands.contractFetch(site, address),
    onSuccess: (found) => setPreview(found),
  });
  const learn = useMutation({ mutationFn: () => commands.contractLearn(site), onSuccess: setLearned });
  const [drafts, setDrafts] = useState<OperationDrafts>({});
  const save = useContractChange((edits: OperationEdit[]) => commands.contractEdit(site, edits), () => {
    setEdited(null);
    setDrafts({});
  });
  const inEditor = operations.data?.find(({ id }) => id === edited);
  const isBusy = load.isPending || learn.isPending || fetch.isPending;
  const isOpen = preview !== null || learned !== null || inEditor !== undefined;
  const problem = load.error ?? learn.error ?? operations.error ?? versions.error;
  const action = (
    <Group gap={8}>
      <Button variant="default" onClick={() => go({ page: 'settings' })} data-testid="contract-back">
        {t('contract.back')}
      </Button>
      {!isPractice && (
        <>
          <Button variant="default" onClick={() => fetch.mutate(null)} disabled={isBusy || learned !== null || inEditor !== undefined} loading={fetch.isPending} data-testid="contract-fetch">
            {t('contract.fetch')}
          </Button>
          <Button variant="default" onClick={() => learn.mutate()} disabled={isBusy || isOpen} loading={learn.isPending} data-testid="contract-learn">
            {t('contract.learn')}
          </Button>
          <Button variant={isOpen ? 'default' : 'filled'} onClick={() => {
              fetch.reset();
              load.mutate();
            }} disabled={isBusy || learned !== null || inEditor !== undefined} data-testid="contract-load">
            {t('contract.load')}
          </Button>
        </>
      )}
    </Group>
  );
  return (
    <PageFrame title={t('contract.title')} aside={<SiteLabel name={site} />} action={action}>
      <div className={styles.page}>
        {problem && <ProblemNote problem={toProblem(problem)} />}
        <FetchDocument fetch={fetch} />
        {preview && <Preview key={preview.source} site={site} first={preview} operations={operations.data ?? []} close={() => setPreview(null)} />}
        {learned && <Learned site={site} learned={learned} operations={operations.data ?? []} close={() => setLearned(null)} />}
        {inEditor && (
          <OperationEditor
            key={inEditor.id}
            site={site}
            operation={inEditor}
            savedDraft={drafts[inEditor.id]}
            storeDraft={(draft) => {
              setDrafts({ ...drafts, [inEditor.id]: draft });
              setEdited(null);
            }}
            save={save}
            saveWith={(edit) => [...editsOf(drafts, operations.data ?? [], inEditor.id), edit]}
            close={() => setEdited(null)}
          />
        )}
        {!isOpen && operations.data && versions.data && (
          <>
            <EditedOperations drafts={drafts} operations={operations.data} save={save} discard={() => setDrafts({})} />
            {!isPractice && <ConnectGuide site={site} operations={operations.data} versions={versions.data} />}
            <CurrentContract operations={operations.data} versions={versions.data} isPractice={isPractice} />
            {!isPractice && <Drift site={site} operations={operations.data} learn={() => learn.mutate()} busy={isBusy} />}
            {!isPractice && <Versions site={site} versions={versions.data} operations={operations.data} />}
            <Operations operations={operations.data} edit={isPractice ? undefined : setEdited} />
            <GlobalAssumptions site={site} isReadOnly={isPractice} />
          </>
        )}
      </div>
    </PageFrame>
  );
}
