import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useAppState, useSite } from '@/base/appState';
import { useFormats } from '@/base/useFormats';
import { CopyButton } from '@/components/controls/CopyButton';
import { FixedWidthLabel } from '@/components/controls/FixedWidthLabel';
import { useSiteName } from '@/components/marks/SiteName';
import { ProblemNote } from '@/components/notices/ProblemNote';
import { showProblemNotice } from '@/components/notices/problemNotice';
import { type Problem, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { useSignIn } from './SignInProvider';
import styles from './sign-in.module.css';

/** Signs in with the browser. While waiting, the address can be copied and the sign-in canceled. */
export function SignInPanel({ why: reason }: { why?: string }) {
  const { t } = useTranslation();
  const site = useSite();
  const siteName = useSiteName();
  const { signInState, start } = useSignIn();
  const { data } = useAppState();
  if (!site) return null;
  const name = siteName(site.site.name);
  if (site.signedIn) return <p className={styles.panel}>{t('signIn.done', { site: name })}</p>;
  return (
    <section className={styles.panel} aria-label={t('signIn.title', { site: name })} data-testid="sign-in-panel">
      <h2>{t('signIn.title', { site: name })}</h2>
      {signInState.state === 'waiting' ? (
        <WaitingForBrowser {...signInState} />
      ) : (
        <>
          {reason && <p>{reason}</p>}
          {signInState.state === 'failed' && <ProblemNote problem={signInState.problem} />}
          <p className="muted">{t('signIn.how')}</p>
          <div className={styles.actions}>
            <Button onClick={() => void start()} disabled={signInState.state === 'starting'} data-testid="sign-in">
              <FixedWidthLabel label={t(signInState.state === 'failed' ? 'signIn.again' : 'signIn.open')} other={t(signInState.state === 'failed' ? 'signIn.open' : 'signIn.again')} />
            </Button>
            {site.site.kind === 'practice' && (
              <Button variant="subtle" onClick={() => void commands.practiceSignIn().catch(showProblemNotice)} data-testid="sign-in-skip">
                {t('signIn.practiceSkip')}
              </Button>
            )}
          </div>
        </>
      )}
      {data && <p className="muted small">{t(`vault.${data.vault}`)}</p>}
    </section>
  );
}

type WaitingProps = { address: string; heard: boolean; until: number; redirect: string; hintAt: number };

function WaitingForBrowser({ address, heard, until, redirect, hintAt }: WaitingProps) {
  const { t } = useTranslation();
  const { duration } = useFormats();
  const { cancel } = useSignIn();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const ticking = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(ticking);
  }, []);
  return (
    <>
      <p role="status" data-testid="sign-in-waiting">
        {t(heard ? 'signIn.waiting' : 'signIn.unheard')}
      </p>
      <p className="muted number">{t('signIn.left', { time: duration(Math.max(0, until - now) / 1000) })}</p>
      {heard && now >= hintAt && (
        <p role="status" data-testid="sign-in-hint">
          {t('signIn.nothingCame', { redirect })}
        </p>
      )}
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
      <PasteAddressForm />
    </>
  );
}

/** A fallback for a browser that can't return to this computer. You paste its last address instead. */
function PasteAddressForm() {
  const { t } = useTranslation();
  const [address, setAddress] = useState('');
  const [problem, setProblem] = useState<Problem | null>(null);
  const submitAddress = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    await commands.signInPaste(address).catch((cause: unknown) => setProblem(toProblem(cause)));
  };
  return (
    <form className={styles.pasting} onSubmit={(event) => void submitAddress(event)}>
      <TextInput
        size="xs"
        label={t('signIn.paste')}
        value={address}
        onChange={(event) => setAddress(event.currentTarget.value)}
        data-testid="sign-in-pasted"
      />
      <div>
        <Button type="submit" variant="default" size="xs" disabled={!address.trim()} data-testid="sign-in-paste">
          {t('signIn.usePasted')}
        </Button>
      </div>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
