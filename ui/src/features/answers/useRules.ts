import { useDebouncedValue } from '@mantine/hooks';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';

import { useSite } from '@/base/appState';
import { queryKeys } from '@/base/queryKeys';
import { refetchQueries } from '@/base/refetch';
import { useCachedValue } from '@/base/useCachedValue';
import { useServiceEvents } from '@/base/useServiceEvents';
import { type AnswerRule, type RuleCheck, type RuleWords, type Rules, type RulesFailing, commands } from '@/ipc/bindings';

/** Debounce for checking the rules, in milliseconds. */
const CHECK_DELAY = 250;

/** The edited rules. They survive page changes until they are put in force. */
export type RulesDraft = {
  rules: Rules;
  /** The version in force, 0 if there is none. */
  version: number;
  isDirty: boolean;
  checks: RuleCheck[];
  /** Whether the checks belong to the current rules. They are checked with a delay. */
  isChecked: boolean;
  change: (change: (rules: Rules) => Rules) => void;
  changeRule: (at: number, change: Partial<AnswerRule>) => void;
  recheck: () => Promise<void>;
  /** Replaces the draft with the rules in force. */
  restore: () => Promise<void>;
};

export function useRules(): RulesDraft | undefined {
  const site = useSite()?.site.name ?? '';
  const queries = useQueryClient();
  const stored = useQuery({ queryKey: queryKeys.rules(site), queryFn: () => commands.rulesGet(), staleTime: Infinity });
  useQuery({
    queryKey: queryKeys.rulesDraft(site),
    queryFn: () => stored.data?.rules ?? null,
    enabled: stored.data !== undefined,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  const rules = useCachedValue<Rules | null>(queryKeys.rulesDraft(site)) ?? undefined;
  const [debouncedRules] = useDebouncedValue(rules, CHECK_DELAY);
  const checkKey = useMemo(() => queryKeys.rulesCheck(site, debouncedRules), [site, debouncedRules]);
  const checks = useQuery({
    queryKey: checkKey,
    queryFn: () => (debouncedRules ? commands.rulesCheck(debouncedRules) : []),
    enabled: debouncedRules !== undefined,
    placeholderData: (before) => before,
    gcTime: 0,
  });
  const change = useCallback((make: (rules: Rules) => Rules) => changeDraft(queries, site, make), [queries, site]);
  const changeRule = useCallback(
    (at: number, changed: Partial<AnswerRule>) =>
      change((before) => ({ ...before, rules: before.rules.map((rule, index) => (index === at ? { ...rule, ...changed } : rule)) })),
    [change],
  );
  const recheck = useCallback(() => refetchQueries(queries, queryKeys.rulesChecks(site)), [queries, site]);
  const restore = useCallback(async () => {
    const latest = await queries.fetchQuery({ queryKey: queryKeys.rules(site), queryFn: () => commands.rulesGet(), staleTime: 0 });
    queries.setQueryData(queryKeys.rulesDraft(site), latest.rules);
  }, [queries, site]);
  if (!rules || !stored.data) return undefined;
  return {
    rules,
    version: stored.data.version,
    isDirty: JSON.stringify(rules) !== JSON.stringify(stored.data.rules),
    checks: checks.data ?? [],
    isChecked: debouncedRules === rules && checks.data !== undefined && !checks.isPlaceholderData,
    change,
    changeRule,
    recheck,
    restore,
  };
}

/** Minimum time between refetches of the rule failures when events arrive, in milliseconds. */
const EVENT_REFETCH_DELAY = 1_000;
/** Interval for refetching the rule failures without events, in milliseconds. */
const POLL_INTERVAL = 15_000;

/** Returns the recent rule failures of the selected site. Undefined if there are none. */
export function useRulesFailing(): RulesFailing | undefined {
  const site = useSite()?.site.name;
  const queries = useQueryClient();
  useServiceEvents(() => void refetchQueries(queries, queryKeys.rulesFailing), EVENT_REFETCH_DELAY);
  const failing = useQuery({
    queryKey: queryKeys.rulesFailingOf(site),
    queryFn: () => commands.rulesFailing(),
    enabled: site !== undefined,
    refetchInterval: POLL_INTERVAL,
  });
  return failing.data ?? undefined;
}

export function useRuleWords(): RuleWords | undefined {
  return useQuery({ queryKey: queryKeys.ruleWords, queryFn: () => commands.ruleWords(), staleTime: Infinity }).data;
}

function changeDraft(queries: QueryClient, site: string, make: (rules: Rules) => Rules): void {
  queries.setQueryData<Rules>(queryKeys.rulesDraft(site), (before) => before && make(before));
}
