import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, createContext, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { showWarningNotice } from '@/components/notices/warningNotice';
import { type Problem, commands, events } from '@/ipc/bindings';
import { listen } from '@/ipc/listen';
import { toProblem } from '@/ipc/problem';

type SignInState =
  | { state: 'idle' }
  | { state: 'starting' }
  | { state: 'waiting'; address: string; heard: boolean; until: number; redirect: string; hintAt: number }
  | FailedSignIn;

/** A failed sign-in, with the site's settings at that time as JSON. */
type FailedSignIn = { state: 'failed'; problem: Problem; settings: string };

type SignIn = {
  signInState: SignInState;
  /** Whether the panel below the sign-in button is open. */
  open: boolean;
  setOpen: (open: boolean) => void;
  start: () => Promise<void>;
  /** Forgets a failed sign-in, because the site's settings or secrets were saved. */
  dismissFailure: () => void;
  cancel: () => Promise<void>;
  signOut: () => Promise<void>;
};

const SignInContext = createContext<SignIn | null>(null);

/** The state of the sign-in, shared by all panels. Only one can run at a time. */
export function SignInProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const { t } = useTranslation();
  const [ownState, setOwnState] = useState<SignInState>({ state: 'idle' });
  const [open, setOpen] = useState(false);
  const settings = JSON.stringify(useSite()?.site ?? null);
  const latestSettings = useRef(settings);
  useEffect(() => {
    latestSettings.current = settings;
  }, [settings]);
  // A failure doesn't apply to other settings or another site.
  const isOutdated = ownState.state === 'failed' && ownState.settings !== settings;
  const signInState = useMemo((): SignInState => (isOutdated ? { state: 'idle' } : ownState), [isOutdated, ownState]);

  useEffect(
    () =>
      listen(events.signInChanged, ({ state, problem }) => {
        if (state === 'waiting') return;
        // If a new sign-in is starting, the cancellation belongs to an earlier one.
        setOwnState((now) => {
          if (state === 'cancelled' && now.state === 'starting') return now;
          return state === 'failed' && problem ? { state: 'failed', problem, settings: latestSettings.current } : { state: 'idle' };
        });
        if (state === 'done') setOpen(false);
        void client.invalidateQueries({ queryKey: queryKeys.app });
      }),
    [client],
  );

  const start = useCallback(async () => {
    setOwnState({ state: 'starting' });
    try {
      const { address, heard, seconds, redirect, hintAfter } = await commands.signInStart();
      const until = Date.now() + seconds * 1000;
      const hintAt = Date.now() + hintAfter * 1000;
      // A browser that is already signed in may return before this response.
      setOwnState((now) => (now.state === 'starting' ? { state: 'waiting', address, heard, until, redirect, hintAt } : now));
    } catch (cause) {
      setOwnState({ state: 'failed', problem: toProblem(cause), settings: latestSettings.current });
    }
  }, []);
  const dismissFailure = useCallback(() => setOwnState((now) => (now.state === 'failed' ? { state: 'idle' } : now)), []);
  const cancel = useCallback(async () => {
    setOwnState({ state: 'idle' });
    await commands.signInCancel().catch(() => undefined);
  }, []);
  const signOut = useCallback(async () => {
    try {
      const signedOut = await commands.signOut();
      if (!signedOut) showWarningNotice(t('signIn.notRevoked'));
    } catch (cause) {
      setOwnState({ state: 'failed', problem: toProblem(cause), settings: latestSettings.current });
    }
    await client.invalidateQueries({ queryKey: queryKeys.app });
  }, [client, t]);

  const signIn = useMemo(
    () => ({ signInState, open, setOpen, start, dismissFailure, cancel, signOut }),
    [signInState, open, start, dismissFailure, cancel, signOut],
  );
  return <SignInContext value={signIn}>{children}</SignInContext>;
}

export function useSignIn(): SignIn {
  const signIn = use(SignInContext);
  if (!signIn) throw new Error('outside SignInProvider');
  return signIn;
}
