import { z } from 'zod';
import { lazy } from '../../core/lazy.ts';

/** One route of the HTTP interface as data: server, client and the OpenAPI document are made from it. Its schemas are lazy. */
export type Route = {
  readonly method: 'GET' | 'POST';
  /** `/v1/loops/{loop}`: a name in braces takes one segment. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly query?: () => z.ZodObject;
  /** Absent: the route takes no body. */
  readonly body?: () => z.ZodType;
  readonly reply: () => z.ZodType;
  /** Longest body in bytes; 256 kB unless given. */
  readonly maxBytes?: number;
};

/** The number both sides must agree on. Raised when a route changes its meaning. */
export const protocolVersion = 1;

/** Sent by a client with every request. */
export const protocolHeader = 'loopwright-protocol';

export const defaultMaxBytes = 256 * 1024;

/** What every refused or failed request is answered with. */
export const ApiError = lazy(() =>
  z.object({
    error: z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() }),
  }),
);
export type ApiError = z.infer<ReturnType<typeof ApiError>>;
