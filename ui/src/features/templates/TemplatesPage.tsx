import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { client } from '../../app/client';
import { keys, useSite } from '../../app/state';
import { useFormats } from '../../app/useFormats';
import { PageFrame } from '../../components/PageFrame';
import { ProblemNote } from '../../components/ProblemNote';
import { type Link, type ProcessRow, type SiteView, type SubmissionView, type TemplateView, commands } from '../../ipc/bindings';
import { toProblem } from '../../ipc/problem';
import { SignInPanel } from '../sign-in/SignInPanel';
import { Results } from '../submission/Results';
import { keepSubmission } from '../submission/useSubmission';
import { BackButton } from './BackButton';
import { LinkPanel } from './LinkPanel';
import { ProcessGrid } from './ProcessGrid';
import { TemplateInput } from './TemplateInput';
import { useCollection } from './collection';
import { withLinks } from './links';
import styles from './templates.module.css';

/** What templates hold, and the cleanup of their links with processes. */
export function TemplatesPage() {
  const site = useSite();
  return site ? <OfSite key={site.site.name} site={site} /> : null;
}

function OfSite({ site }: { site: SiteView }) {
  const { t } = useTranslation();
  const [deleted, setDeleted] = useState<SubmissionView | null>(null);
  const [links, setLinks] = useCollection(site.site.name);
  if (deleted) {
    return <Results id={deleted.id} title={t('templates.results')} actions={<BackButton back={() => setDeleted(null)} />} />;
  }
  return (
    <Cleanup
      site={site}
      links={links}
      setLinks={setLinks}
      onDeleted={(submission) => {
        keepSubmission(submission);
        setLinks([]);
        setDeleted(submission);
      }}
    />
  );
}

type Props = { site: SiteView; links: Link[]; setLinks: (links: Link[]) => void; onDeleted: (submission: SubmissionView) => void };

function Cleanup({ site, links, setLinks, onDeleted }: Props) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const [ticked, setTicked] = useState<ProcessRow[]>([]);
  const read = useMutation({
    mutationFn: (ids: string) => commands.templateRead(ids),
    onSuccess: () => {
      setTicked([]);
      void client.invalidateQueries({ queryKey: keys.remembered });
    },
  });
  const templates = read.data ?? none;
  const rows = useMemo(() => templates.flatMap((template) => template.processes), [templates]);
  const signedOut = !site.signedIn;
  return (
    <PageFrame
      title={t('templates.title')}
      filter={<TemplateInput read={(ids) => read.mutate(ids)} busy={read.isPending} disabled={signedOut} />}
      status={
        <span className="number" role="status" data-testid="templates-status">
          {t('templates.status', {
            templates: number(templates.filter((template) => !template.problem).length),
            processes: number(rows.length),
            ticked: number(ticked.length),
          })}
        </span>
      }
      edge
    >
      <div className={styles.main}>
        <Troubles templates={templates} error={read.error} />
        {signedOut ? (
          <div className={styles.empty}>
            <SignInPanel why={t('templates.signInFirst')} />
          </div>
        ) : read.data === undefined && !read.error && !read.isPending ? (
          <p className={styles.empty}>{t('templates.empty')}</p>
        ) : (
          <ProcessGrid rows={rows} loading={read.isPending} onTicked={setTicked} />
        )}
      </div>
      <LinkPanel
        links={links}
        ticked={ticked}
        add={(code) => setLinks(withLinks(links, ticked, code))}
        remove={(link) => setLinks(links.filter((one) => one !== link))}
        clear={() => setLinks([])}
        onDeleted={onDeleted}
      />
    </PageFrame>
  );
}

function Troubles({ templates, error }: { templates: TemplateView[]; error: unknown }) {
  const { t } = useTranslation();
  const unread = alikeProblems(templates);
  if (!error && unread.size === 0) return null;
  return (
    <div className={styles.troubles} role="region" aria-label={t('templates.troubles')} tabIndex={0}>
      {error ? <ProblemNote problem={toProblem(error)} /> : null}
      {[...unread].map(([key, alike]) => (
        <section key={key} className={styles.trouble}>
          <h2>{t('templates.notRead', { count: alike.length, ids: alike.map((one) => one.templateId).join(', ') })}</h2>
          {alike[0]?.problem && <ProblemNote problem={alike[0].problem} />}
        </section>
      ))}
    </div>
  );
}

/** Templates that couldn't be read, those with the same trouble together. */
function alikeProblems(templates: readonly TemplateView[]): Map<string, TemplateView[]> {
  const found = new Map<string, TemplateView[]>();
  for (const template of templates) {
    if (!template.problem) continue;
    const key = JSON.stringify([template.problem.code, template.problem.logId]);
    found.set(key, [...(found.get(key) ?? []), template]);
  }
  return found;
}

const none: TemplateView[] = [];
