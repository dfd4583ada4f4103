import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';

import { type Operation, type Problem, commands } from '../../ipc/bindings';
import { toProblem } from '../../ipc/problem';
import { type Row, toRows } from './cells';

/** The most rows that a page holds; a service that gives fewer says so in its answer. */
export const pageSize = 100;

export type Parameters = { [name: string]: string };

export type PageReading = {
  parameters: Parameters;
  /** True where something was asked for. */
  asked: boolean;
  /** True where every required parameter is given. */
  complete: boolean;
  /** The set that keeps these rows; absent where there are none. */
  set: number | null;
  rows: Row[];
  unknown: string[];
  page: number;
  pages: number | null;
  total: number | null;
  busy: boolean;
  problem: Problem | null;
  read: (parameters: Parameters) => void;
  turn: (page: number) => void;
  again: () => void;
};

/** One page of an operation's rows; read at once where nothing has to be filled in. */
export function useReadPage(operation: Operation, given: Parameters = nothing): PageReading {
  const required = operation.parameters.filter((parameter) => parameter.required);
  const [asked, setAsked] = useState<{ parameters: Parameters; page: number } | null>(
    required.every((parameter) => given[parameter.name]) ? { parameters: given, page: 1 } : null,
  );
  const parameters = asked?.parameters ?? nothing;
  const page = asked?.page ?? 1;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['browse', operation.id, parameters, page],
    queryFn: () => commands.browsePage({ operation: operation.id, parameters }, page, pageSize),
    enabled: asked !== null,
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: 0,
  });
  const rows = useMemo(() => toRows(data?.rows ?? []), [data]);
  const read = useCallback(
    (next: Parameters) => {
      setAsked({ parameters: next, page: 1 });
      // The same question again means: read it anew.
      if (JSON.stringify(next) === JSON.stringify(parameters) && page === 1) void refetch();
    },
    [parameters, page, refetch],
  );
  const turn = useCallback((to: number) => setAsked((now) => (now ? { ...now, page: to } : now)), []);
  return {
    parameters,
    asked: asked !== null,
    complete: required.every((parameter) => parameters[parameter.name]),
    set: error || rows.length === 0 ? null : (data?.set ?? null),
    rows: error ? noRows : rows,
    unknown: data?.unknown ?? noNames,
    page: data?.page ?? page,
    pages: data?.pages ?? null,
    total: data?.total ?? null,
    busy: isFetching,
    problem: error ? toProblem(error) : null,
    read,
    turn,
    again: () => void refetch(),
  };
}

const nothing: Parameters = {};
const noRows: Row[] = [];
const noNames: string[] = [];
