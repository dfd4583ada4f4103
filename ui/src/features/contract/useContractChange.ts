import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';

/** Puts a contract in force and invalidates all queries, because any of them may depend on it. */
export function useContractChange<Given>(change: (given: Given) => Promise<number>, then?: () => void): UseMutationResult<number, Error, Given> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      then?.();
      void client.invalidateQueries();
    },
  });
}
