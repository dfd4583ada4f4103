import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';

/** Puts a contract in force and invalidates all queries, because any of them may depend on it. */
export function useContractChange<Variables>(change: (variables: Variables) => Promise<number>, onApplied?: () => void): UseMutationResult<number, Error, Variables> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      onApplied?.();
      void client.invalidateQueries();
    },
  });
}
