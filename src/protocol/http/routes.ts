import { z } from 'zod';
import { lazy } from '../../core/lazy.ts';
import { EventLine } from '../event-line.ts';
import { LoopDetail } from '../loop-detail.ts';
import { LoopLine } from '../loop-line.ts';
import { Overview } from '../overview.ts';
import {
  DaemonStatus,
  GuideRequest,
  Health,
  LoopAnswer,
  LoopRequest,
  MessageLine,
  MessageRequest,
  NewTaskRequest,
  ShutdownRequest,
  TaskLine,
} from './payload.ts';
import type { Route } from './route.ts';

const limit = lazy(() => z.coerce.number().int().min(1).max(1000).default(100));

/** Everything a daemon answers, beside the event stream. */
export const routes = {
  health: {
    method: 'GET',
    path: '/v1/health',
    summary: 'Who answers: id, version, state.',
    reply: Health,
  },
  daemon: {
    method: 'GET',
    path: '/v1/daemon',
    summary: 'What the daemon drives, what it could not start and why.',
    reply: DaemonStatus,
  },
  shutdown: {
    method: 'POST',
    path: '/v1/daemon/shutdown',
    summary: 'End the daemon: iterations come to their end, or are cut short.',
    body: ShutdownRequest,
    reply: Health,
  },
  takeReady: {
    method: 'POST',
    path: '/v1/daemon/ready',
    summary:
      'From now on the daemon takes every task that is ready, also one that was started idle.',
    body: lazy(() => z.object({})),
    reply: DaemonStatus,
  },
  overview: {
    method: 'GET',
    path: '/v1/overview',
    summary: 'What runs, what waits, what needs a person, what is next.',
    reply: Overview,
  },
  loops: {
    method: 'GET',
    path: '/v1/loops',
    summary: 'Loops, newest first.',
    query: lazy(() => z.object({ limit: limit() })),
    reply: lazy(() => z.object({ loops: z.array(LoopLine()) })),
  },
  loop: {
    method: 'GET',
    path: '/v1/loops/{loop}',
    summary: 'One loop with its iterations.',
    reply: LoopDetail,
  },
  loopEvents: {
    method: 'GET',
    path: '/v1/loops/{loop}/events',
    summary: 'Recorded events of a loop after a sequence number.',
    query: lazy(() =>
      z.object({ since: z.coerce.number().int().min(0).default(0), limit: limit() }),
    ),
    reply: lazy(() => z.object({ events: z.array(EventLine()) })),
  },
  requestLoop: {
    method: 'POST',
    path: '/v1/loops/{loop}/requests',
    summary: 'Pause, stop or cancel a loop.',
    body: LoopRequest,
    reply: LoopAnswer,
  },
  guide: {
    method: 'POST',
    path: '/v1/loops/{loop}/guidance',
    summary: 'Add guidance to every later prompt of the loop’s task.',
    body: GuideRequest,
    reply: lazy(() => z.object({ loop: z.string(), task: z.string() })),
  },
  guideTask: {
    method: 'POST',
    path: '/v1/tasks/{task}/guide',
    summary: 'Add guidance to every later prompt of a task, also of one that has no loop yet.',
    body: GuideRequest,
    reply: lazy(() => z.object({ loop: z.string().nullable(), task: z.string() })),
  },
  tasks: {
    method: 'GET',
    path: '/v1/tasks',
    summary: 'Tasks in the order they were added.',
    query: lazy(() => z.object({ limit: limit() })),
    reply: lazy(() => z.object({ tasks: z.array(TaskLine()) })),
  },
  addTask: {
    method: 'POST',
    path: '/v1/tasks',
    summary: 'Add a task; the daemon starts it when there is room.',
    body: NewTaskRequest,
    reply: TaskLine,
  },
  messages: {
    method: 'GET',
    path: '/v1/messages',
    summary: 'Messages, newest first; of one loop with `loop`.',
    query: lazy(() => z.object({ loop: z.string().max(64).exactOptional(), limit: limit() })),
    reply: lazy(() => z.object({ messages: z.array(MessageLine()) })),
  },
  send: {
    method: 'POST',
    path: '/v1/messages',
    summary: 'Send a message to a loop or to all that fit a selector.',
    body: MessageRequest,
    reply: lazy(() =>
      z.object({
        messages: z.array(MessageLine()),
        /** Of a query: what is known about each loop that was asked. */
        answers: z.array(z.object({ from: z.string(), text: z.string() })),
        /** Why some receivers could not take it. */
        refused: z.array(z.string()),
      }),
    ),
    // A text of 1 MB takes up to six times that when every character is escaped.
    maxBytes: 7 * 1024 * 1024,
  },
} as const satisfies Readonly<Record<string, Route>>;

export type RouteName = keyof typeof routes;

type Schema = () => z.ZodType;
type Of<N extends RouteName> = (typeof routes)[N];

/** The names in braces of a path. */
type Names<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Names<Rest>
  : never;

export type Params<N extends RouteName> = Readonly<Record<Names<Of<N>['path']>, string>>;
export type Query<N extends RouteName> =
  Of<N> extends { readonly query: infer Q extends Schema } ? z.output<ReturnType<Q>> : undefined;
export type Body<N extends RouteName> =
  Of<N> extends { readonly body: infer B extends Schema } ? z.output<ReturnType<B>> : undefined;
export type Reply<N extends RouteName> = z.input<ReturnType<Of<N>['reply']>>;

/** What a client gives: only what the route takes. */
export type CallInput<N extends RouteName> = {
  readonly params?: Params<N>;
  readonly query?: Of<N> extends { readonly query: infer Q extends Schema }
    ? z.input<ReturnType<Q>>
    : never;
  readonly body?: Of<N> extends { readonly body: infer B extends Schema }
    ? z.input<ReturnType<B>>
    : never;
};
