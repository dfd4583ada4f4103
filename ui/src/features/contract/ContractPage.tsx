import { Button, Group, TextInput } from '@mantine/core';
import { type UseMutationResult, useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState } from '@/base/appState';
import { useNavigation } from '@/base/navigation';
import { queryKeys } from '@/base/queryKeys';
import { operationName, useFormats } from '@/base/useFormats';
import { SiteLabel } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { PageFrame } from '@/components/page/PageFrame';
import {
  type ContractPreview,
  type ContractTest,
  type ContractVersion,
  type DriftEntry,
  type Operation,
  type OperationEdit,
  type ProvenanceLevel,
  commands,
} from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';

import { GlobalAssumptions } from './GlobalAssumptions';
import { LearnedFindings } from './LearnedFindings';
import { OperationEditor } from './editor/OperationEditor';
import { OperationsTable } from './OperationsTable';
import { DocumentPreview } from './DocumentPreview';
import { ContractVersions } from './ContractVersions';
import { type OperationDrafts, editsOf } from './editor/operationEdit';
import { useContractChange } from './useContractChange';
import { useVersionText } from './useVersionText';
import styles from './common/contract.module.css';

type ConnectGuideProps = { site: string; operations: Operation[]; versions: ContractVersion[] };

/** The steps to connect a new site, in recommended order. */
const CONNECT_STEPS = ['document', 'signIn', 'answers', 'assumed', 'trial'] as const;

/** Checklist for connecting a site. It is open until the site has its own contract. */
function ConnectGuide({ site, operations, versions }: ConnectGuideProps) {
  const { t } = useTranslation();
  const { data } = useAppState();
  const hasLevel = (level: string) => operations.some(({ provenance }) => provenance.level === level);
  const hasDocument = Boolean(versions[0]?.source);
  const done: Partial<Record<(typeof CONNECT_STEPS)[number], boolean>> = {
    document: hasDocument && hasLevel('site'),
    signIn: data?.sites.some((view) => view.site.name === site && view.signedIn) ?? false,
    answers: hasLevel('observed'),
    assumed: !hasLevel('assumed'),
  };
  return (
    <details className={styles.guide} open={!hasDocument} data-testid="contract-guide">
      <summary>{t('contract.guide.title')}</summary>
      <ol>
        {CONNECT_STEPS.map((step) => (
          <li key={step} data-done={done[step] ?? false} data-testid={`guide-${step}`}>
            {t(`contract.guide.${step}`)} {done[step] && <span className="muted small">{t('contract.guide.done')}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}

type DriftProps = { site: string; operations: Operation[]; learn: () => void; busy: boolean };

/** Lists deviations of the service's responses from the contract in force. They contain types, but no values. */
function ContractDrift({ site, operations, learn, busy }: DriftProps) {
  const { t } = useTranslation();
  const { name, number, dateTime } = useFormats();
  // Reading lists adds deviations, so they are refetched whenever the page opens.
  const drift = useQuery({ queryKey: queryKeys.contractDrift(site), queryFn: () => commands.contractDrift(site), refetchOnMount: 'always' });
  const entries = drift.data ?? [];
  if (entries.length === 0) return null;
  const describe = ({ kind, expected, found }: DriftEntry) => t(`contract.drift.${kind}`, { expected, found });
  return (
    <section className={styles.section} aria-labelledby="contract-drift" data-testid="contract-drift">
      <div className={styles.line}>
        <h2 id="contract-drift">{t('contract.drift.title')}</h2>
        <Button size="xs" variant="default" onClick={learn} disabled={busy} data-testid="contract-drift-learn">
          {t('contract.drift.learn')}
        </Button>
      </div>
      <div className={styles.wide} role="group" aria-labelledby="contract-drift" tabIndex={0}>
        <table className={styles.table} aria-labelledby="contract-drift">
          <thead>
            <tr>
              <th scope="col">{t('contract.columns.operation')}</th>
              <th scope="col">{t('contract.columns.wire')}</th>
              <th scope="col">{t('contract.columns.change')}</th>
              <th scope="col">{t('contract.drift.seen')}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={`${entry.operation} ${entry.member} ${entry.kind}`} data-testid={`drift-${entry.operation}-${entry.member}`}>
                <th scope="row">{operationName(operations, entry.operation, name)}</th>
                <td>
                  <code>{entry.member}</code>
                </td>
                <td>{describe(entry)}</td>
                <td>{t('contract.drift.answers', { count: entry.count, answers: number(entry.count), first: dateTime(entry.first), last: dateTime(entry.last) })}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

type CurrentContractProps = { operations: Operation[]; versions: ContractVersion[]; isPractice: boolean };

/** The contract in force, and its number of operations by provenance. */
function CurrentContract({ operations, versions, isPractice }: CurrentContractProps) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const versionText = useVersionText();
  const [current] = versions;
  const count = (level: ProvenanceLevel) => number(operations.filter(({ provenance }) => provenance.level === level).length);
  return (
    <section className={styles.section} aria-labelledby="contract-current">
      <h2 id="contract-current">{t('contract.current')}</h2>
      <p data-testid="contract-current">{current ? versionText(current) : t(isPractice ? 'contract.practice' : 'contract.onlyBuiltin')}</p>
      <p className="muted" data-testid="contract-counts">
        {t('contract.counts', {
          count: operations.length,
          site: count('site'),
          observed: count('observed'),
          specified: count('specified'),
          assumed: count('assumed'),
        })}
      </p>
    </section>
  );
}

type DocumentAddressFormProps = { fetch: UseMutationResult<ContractPreview, Error, string | null> };

/** Explains why the site returned no document, and asks for another address. */
function DocumentAddressForm({ fetch }: DocumentAddressFormProps) {
  const { t } = useTranslation();
  const [address, setAddress] = useState('');
  if (!fetch.error) return null;
  return (
    <section className={styles.section}>
      <ProblemNote problem={toProblem(fetch.error)} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          fetch.mutate(address.trim() || null);
        }}
      >
        <Group gap={8} align="flex-end">
          <TextInput
            label={t('contract.fetchAt')}
            description={t('contract.fetchAtHint')}
            value={address}
            onChange={(event) => setAddress(event.currentTarget.value)}
            data-testid="contract-address"
          />
          <Button type="submit" variant="default" loading={fetch.isPending} disabled={!address.trim()} data-testid="contract-fetch-at">
            {t('contract.fetchAgain')}
          </Button>
        </Group>
      </form>
    </section>
  );
}

type EditedOperationsProps = { drafts: OperationDrafts; operations: Operation[]; save: UseMutationResult<number, Error, OperationEdit[]>; discard: () => void };

/** Lists the edited operations, which are saved together as one version. */
function EditedOperations({ drafts, operations, save, discard }: EditedOperationsProps) {
  const { t } = useTranslation();
  const { name } = useFormats();
  const edited = operations.filter(({ id }) => drafts[id]);
  if (edited.length === 0) return null;
  return (
    <section className={styles.section} aria-labelledby="contract-kept" data-testid="contract-kept">
      <div className={styles.line}>
        <h2 id="contract-kept">{t('contract.kept', { count: edited.length })}</h2>
        <Group gap={8}>
          <Button variant="default" onClick={discard} disabled={save.isPending} data-testid="kept-discard">
            {t('contract.discardKept')}
          </Button>
          <Button onClick={() => save.mutate(editsOf(drafts, operations, null))} disabled={save.isPending} data-testid="kept-save">
            {t('contract.saveEdit')}
          </Button>
        </Group>
      </div>
      {save.error && <ProblemNote problem={toProblem(save.error)} />}
      <p>{edited.map((operation) => name(operation)).join(', ')}</p>
    </section>
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
  const editedOperation = operations.data?.find(({ id }) => id === edited);
  const isBusy = load.isPending || learn.isPending || fetch.isPending;
  const isOpen = preview !== null || learned !== null || editedOperation !== undefined;
  const problem = load.error ?? learn.error ?? operations.error ?? versions.error;
  const action = (
    <Group gap={8}>
      <Button variant="default" onClick={() => go({ page: 'settings' })} data-testid="contract-back">
        {t('contract.back')}
      </Button>
      {!isPractice && (
        <>
          <Button variant="default" onClick={() => fetch.mutate(null)} disabled={isBusy || learned !== null || editedOperation !== undefined} loading={fetch.isPending} data-testid="contract-fetch">
            {t('contract.fetch')}
          </Button>
          <Button variant="default" onClick={() => learn.mutate()} disabled={isBusy || isOpen} loading={learn.isPending} data-testid="contract-learn">
            {t('contract.learn')}
          </Button>
          <Button variant={isOpen ? 'default' : 'filled'} onClick={() => {
              fetch.reset();
              load.mutate();
            }} disabled={isBusy || learned !== null || editedOperation !== undefined} data-testid="contract-load">
            {t('contract.load')}
          </Button>
        </>
      )}
    </Group>
  );
  return (
    <PageFrame title={t('contract.title')} subtitle={<SiteLabel name={site} />} action={action}>
      <div className={styles.page}>
        {problem && <ProblemNote problem={toProblem(problem)} />}
        <DocumentAddressForm fetch={fetch} />
        {preview && <DocumentPreview key={preview.source} site={site} initial={preview} operations={operations.data ?? []} close={() => setPreview(null)} />}
        {learned && <LearnedFindings site={site} learned={learned} operations={operations.data ?? []} close={() => setLearned(null)} />}
        {editedOperation && (
          <OperationEditor
            key={editedOperation.id}
            site={site}
            operation={editedOperation}
            savedDraft={drafts[editedOperation.id]}
            storeDraft={(draft) => {
              setDrafts({ ...drafts, [editedOperation.id]: draft });
              setEdited(null);
            }}
            save={save}
            withOtherEdits={(edit) => [...editsOf(drafts, operations.data ?? [], editedOperation.id), edit]}
            close={() => setEdited(null)}
          />
        )}
        {!isOpen && operations.data && versions.data && (
          <>
            <EditedOperations drafts={drafts} operations={operations.data} save={save} discard={() => setDrafts({})} />
            {!isPractice && <ConnectGuide site={site} operations={operations.data} versions={versions.data} />}
            <CurrentContract operations={operations.data} versions={versions.data} isPractice={isPractice} />
            {!isPractice && <ContractDrift site={site} operations={operations.data} learn={() => learn.mutate()} busy={isBusy} />}
            {!isPractice && <ContractVersions site={site} versions={versions.data} operations={operations.data} />}
            <OperationsTable operations={operations.data} edit={isPractice ? undefined : setEdited} />
            <GlobalAssumptions site={site} isReadOnly={isPractice} />
          </>
        )}
      </div>
    </PageFrame>
  );
}
