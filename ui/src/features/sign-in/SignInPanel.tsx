import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState, useSite } from '../../app/state';
import { useFormats } from '../../app/useFormats';
import { CopyButton } from '../../components/CopyButton';
import { ProblemNote } from '../../components/ProblemNote';
import { useSiteName } from '../../components/SiteName';
import { useSignIn } from './signIn';
import styles from './sign-in.module.css';

/** Signing in, with the wait in sight: the address to copy, a way out, and where the tokens are kept. */
export function SignInPanel({ why }: { why?: string }) {
  const { t } = useTranslation();
  const site = useSite();
  const siteName = useSiteName();
  const { standing, start } = useSignIn();
  const { data } = useAppState();
  if (!site) return null;
  const name = siteName(site.site.name);
  if (site.signedIn) return <p className={styles.panel}>{t('signIn.done', { site: name })}</p>;
  return (
    <section className={styles.panel} aria-label={t('signIn.title', { site: name })} data-testid="sign-in-panel">
      <h2>{t('signIn.title', { site: name })}</h2>
      {standing.state === 'waiting' ? (
        <Waiting address={standing.address} since={standing.since} />
      ) : (
        <>
          {why && <p>{why}</p>}
          {standing.state === 'failed' && <ProblemNote problem={standing.problem} />}
          <p className="muted">{t('signIn.how')}</p>
          <div>
            <Button onClick={() => void start()} disabled={standing.state === 'starting'} data-testid="sign-in">
              {t(standing.state === 'failed' ? 'signIn.again' : 'signIn.open')}
            </Button>
          </div>
        </>
      )}
      {data && <p className="muted small">{t(`vault.${data.vault}`)}</p>}
    </section>
  );
}

function Waiting({ address, since }: { address: string; since: number }) {
  const { t } = useTranslation();
  const { duration } = useFormats();
  const { cancel } = useSignIn();
  const [now, setNow] = useState(since);
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, []);
  return (
    <>
      <p role="status" data-testid="sign-in-waiting">
        {t('signIn.waiting')}
      </p>
      <p className="muted number">{t('signIn.since', { time: duration((now - since) / 1000) })}</p>
      <div className={styles.address}>
        <span className="small muted">{t('signIn.address')}</span>
        <code data-testid="sign-in-address" tabIndex={0}>
          {address}
        </code>
      </div>
      <div className={styles.actions}>
        <CopyButton value={address} label={t('signIn.copy')} wide />
        <Button variant="subtle" size="xs" onClick={() => void cancel()} data-testid="sign-in-cancel">
          {t('common.cancel')}
        </Button>
      </div>
    </>
  );
}
