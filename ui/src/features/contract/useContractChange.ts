import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';

/** Puts a contract in force. Whatever is shown of a site may follow from it, so that everything is read again. */
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
