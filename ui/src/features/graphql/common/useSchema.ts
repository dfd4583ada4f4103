import { useQuery } from '@tanstack/react-query';
import { type GraphQLSchema, type IntrospectionQuery, buildClientSchema } from 'graphql';
import { useCallback, useMemo, useState } from 'react';

import { queryClient } from '@/base/queryClient';
import { queryKeys } from '@/base/queryKeys';
import { type Problem, commands } from '@/ipc/bindings';
import { toProblem } from '@/ipc/problem';
import { nextTicket } from '@/ipc/tickets';

export type SchemaReading = {
  /** Null until it is loaded, and if the site doesn't provide it. */
  schema: GraphQLSchema | null;
  /** The time at which the schema was read. */
  at: string | null;
  types: number;
  /** Why there is no schema: the site's messages, or a parse error. */
  reasons: string[];
  silent: boolean;
  busy: boolean;
  problem: Problem | null;
  again: () => void;
};

/** Loads the site's stored schema. Reads it from the site if none is stored, and on demand. */
export function useSchema(site: string): SchemaReading {
  const key = useMemo(() => queryKeys.graphqlSchema(site), [site]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [reading, setReading] = useState(false);
  const { data, error, isPending } = useQuery({
    queryKey: key,
    queryFn: () => commands.graphqlSchema(false, nextTicket()),
    staleTime: Infinity,
  });
  const again = useCallback(() => {
    setReading(true);
    commands
      .graphqlSchema(true, nextTicket())
      .then(
        (schema) => {
          setProblem(null);
          queryClient.setQueryData(key, schema);
        },
        (cause: unknown) => setProblem(toProblem(cause)),
      )
      .finally(() => setReading(false));
  }, [key]);
  const built = useMemo(() => build(data?.introspection), [data]);
  return {
    schema: built.schema,
    at: data?.at ?? null,
    types: built.schema ? Object.keys(built.schema.getTypeMap()).filter((name) => !name.startsWith('__')).length : 0,
    reasons: built.reason ? [built.reason] : (data?.reasons ?? []),
    silent: data !== undefined && built.schema === null,
    busy: isPending || reading,
    problem: problem ?? (error && !data ? toProblem(error) : null),
    again,
  };
}

function build(introspection: unknown): { schema: GraphQLSchema | null; reason: string | null } {
  if (!introspection) return { schema: null, reason: null };
  try {
    // An invalid schema is accepted, because it is good enough for suggestions.
    return { schema: buildClientSchema(introspection as IntrospectionQuery, { assumeValid: true }), reason: null };
  } catch (cause) {
    return { schema: null, reason: cause instanceof Error ? cause.message : String(cause) };
  }
}
