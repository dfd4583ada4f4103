import { Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { connectionPartName, connectionText, outcomeWord } from '@/base/engineTexts';
import { useNavigation } from '@/base/navigation';
import { useFormats } from '@/base/useFormats';
import { SiteMark, useSiteName } from '@/components/marks/SiteName';
import { StatusPill } from '@/components/marks/StatusPill';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { Dialog } from '@/components/page/Dialog';
import { type ConnectionCheck, type ConnectionStep, type SiteView, type StepOutcome, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { Rehearsal } from './Rehearsal';
import styles from '../common/settings.module.css';

/** The steps of a connection check. A hint for a failed step names the person to ask. */
function ConnectionSteps({ check }: { check: ConnectionCheck | null }) {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: () => commands.transcriptSave(check?.transcript ?? '', t('connection.saveTitle'), `${check?.site ?? ''} oauth`),
  });
  if (!check) return <p role="status">{t('connection.checking')}</p>;
  return (
    <div className={styles.test} role="status" data-testid="connection-check" data-outcome={check.outcome}>
      <ul className={styles.steps}>
        {check.steps.map((step) => (
          <ConnectionStepRow key={`${step.part}·${step.target}`} step={step} />
        ))}
      </ul>
      {check.transcript !== '' && (
        <div>
          <Button size="compact-sm" variant="default" onClick={() => save.mutate()} disabled={save.isPending} data-testid="transcript-save">
            {t('connection.save')}
          </Button>
        </div>
      )}
      {save.error && <ProblemNote problem={toProblem(save.error)} />}
    </div>
  );
}

function ConnectionStepRow({ step }: { step: ConnectionStep }) {
  const { t } = useTranslation();
  const { number } = useFormats();
  const { part, outcome, milliseconds, details } = step;
  return (
    <li data-standing={STATE_KEYS[outcome]} data-testid={`connection-${part}`} data-outcome={outcome}>
      <span aria-hidden>{SIGNS[outcome]}</span>{' '}
      <strong>
        {connectionPartName(part)}: {outcomeWord(outcome)}
      </strong>
      {milliseconds !== null && <span className="muted small"> {t('connection.time', { time: number(milliseconds) })}</span>}
      <div>{connectionText(step)}</div>
      {details && (
        <details>
          <summary>{t('connection.details')}</summary>
          <pre>{details}</pre>
        </details>
      )}
    </li>
  );
}

const SIGNS: Record<StepOutcome, string> = { ok: '●', warning: '▲', failed: '✕', skipped: '–' };
const STATE_KEYS: Record<StepOutcome, string> = { ok: 'passed', warning: 'warned', failed: 'failed', skipped: 'skipped' };

/** A site in the list, with buttons to select, check, edit and remove it. */
export function SiteRow({ view, edit }: { view: SiteView; edit: () => void }) {
  const { t } = useTranslation();
  const { go } = useNavigation();
  const { name, kind, baseUrl } = view.site;
  const check = useMutation({ mutationFn: () => commands.siteCheck(name) });
  const choose = useMutation({ mutationFn: () => commands.siteChoose(name) });
  const practice = kind === 'practice';
  return (
    <li className={styles.site} data-testid={`site-row-${name}`}>
      <div className={styles.siteLine}>
        <span className={styles.siteName}>
          <SiteMark site={view.site} />
        </span>
        <code className={styles.address}>{baseUrl}</code>
        {view.unencrypted && (
          <span className="small" data-testid={`unencrypted-${name}`}>
            {t('settings.unencrypted')}
          </span>
        )}
        {view.managed && (
          <span className="muted small" data-testid={`managed-${name}`}>
            {t('settings.managed')}
          </span>
        )}
        <span className="muted small">{t(view.keychainFailed ? 'settings.keychainFailed' : view.signedIn ? 'person.signedIn' : 'settings.signedOut')}</span>
        <span className={styles.siteActions}>
          {view.chosen ? (
            <span className={styles.chosen}>
              <StatusPill tone="active" sign="✓">
                {t('site.chosen')}
              </StatusPill>
            </span>
          ) : (
            <Button size="compact-sm" variant="subtle" onClick={() => choose.mutate()} data-testid={`choose-${name}`}>
              {t('settings.choose')}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant="subtle"
            onClick={() => check.mutate()}
            disabled={check.isPending}
            data-testid={`check-${name}`}
          >
            {t('connection.check')}
          </Button>
          <Button size="compact-sm" variant="subtle" onClick={() => go({ page: 'settings', contract: name })} data-testid={`contract-${name}`}>
            {t('contract.open')}
          </Button>
          {!practice && (
            <>
              {!view.site.rehearsalOf && <Rehearsal site={name} />}
              <Button size="compact-sm" variant="subtle" onClick={edit} data-testid={`edit-${name}`}>
                {t(view.managed ? 'settings.secrets' : 'settings.edit')}
              </Button>
              {!view.managed && <RemoveSiteButton name={name} />}
            </>
          )}
        </span>
      </div>
      {choose.error && <ProblemNote problem={toProblem(choose.error)} />}
      {check.error && <ProblemNote problem={toProblem(check.error)} />}
      {(check.data || check.isPending) && <ConnectionSteps check={check.isPending ? null : (check.data ?? null)} />}
    </li>
  );
}

function RemoveSiteButton({ name }: { name: string }) {
  const { t } = useTranslation();
  const siteName = useSiteName();
  const [opened, { open, close }] = useDisclosure(false);
  const remove = useMutation({ mutationFn: () => commands.siteRemove(name), onSuccess: close });
  return (
    <>
      <Button size="compact-sm" variant="subtle" color="red" onClick={open} data-testid={`remove-${name}`}>
        {t('settings.remove')}
      </Button>
      {opened && (
        <Dialog title={t('settings.removeSite', { site: siteName(name) })} close={close}>
          <p>{t('settings.removeWhat')}</p>
          {remove.error && <ProblemNote problem={toProblem(remove.error)} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('common.cancel')}
            </Button>
            <Button color="red" onClick={() => remove.mutate()} disabled={remove.isPending} data-testid="remove-confirm">
              {t('settings.removeSite', { site: siteName(name) })}
            </Button>
          </Group>
        </Dialog>
      )}
    </>
  );
}
