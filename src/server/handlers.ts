import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import { queryLoops } from '../engine/answer-query.ts';
import type { Engine } from '../engine/engine.ts';
import { readRecorded } from '../engine/folded-loop.ts';
import { findGuided, guideLoop } from '../engine/guide-loop.ts';
import { loopFiles } from '../engine/loop-files.ts';
import { readOverview } from '../engine/overview.ts';
import { requestLoop } from '../engine/request-loop.ts';
import { sendMessage } from '../engine/send-message.ts';
import { addTask } from '../engine/text-task.ts';
import { recordedLine } from '../protocol/event-line.ts';
import type { Body, Params, Query, Reply, RouteName } from '../protocol/http/routes.ts';
import { messageLine } from '../protocol/http/message-line.ts';
import { loopDetail } from '../protocol/loop-detail.ts';
import { loopLine } from '../protocol/loop-line.ts';
import { overviewResult, taskEntry } from '../protocol/overview.ts';
import type { Backend } from './backend.ts';

type Input<N extends RouteName> = {
  readonly params: Params<N>;
  readonly query: Query<N>;
  readonly body: Body<N>;
};

export type Handlers = {
  readonly [N in RouteName]: (input: Input<N>, backend: Backend) => Promise<Reply<N>>;
};

/** One function per route; each reads or changes the store through the engine, as a command would. */
export const handlers: Handlers = {
  health: async (_input, backend) => backend.health(),
  daemon: (_input, backend) => backend.status(),
  async shutdown({ body }, backend) {
    backend.shutdown(body.now);
    return backend.health();
  },
  takeReady(_input, backend) {
    backend.takeReady();
    return backend.status();
  },
  overview: async (_input, backend) =>
    overviewResult(await readOverview(backend.engine), backend.health()),
  async loops({ query }, { engine }) {
    const rows = await engine.store.read((tx) => tx.loops.list({ limit: query.limit }));
    return { loops: rows.map(loopLine) };
  },
  async loop({ params }, { engine }) {
    const loop = await requireLoop(engine, params.loop);
    const { changed } = await loopFiles(engine.project, loop);
    return loopDetail(loop, changed);
  },
  async loopEvents({ params, query }, { engine }) {
    const { id } = await requireLoop(engine, params.loop);
    const recorded = await engine.store.read((tx) => tx.loops.events(id, query.since, query.limit));
    return { events: recorded.map((each) => recordedLine(id, each)) };
  },
  async requestLoop({ params, body }, { engine, session }) {
    const { id } = await requireLoop(engine, params.loop);
    const { answer, loop } = await requestLoop(engine, session, id, body.kind, body.when);
    return { loop: loop.id, status: loop.status, reason: loop.reason, answer };
  },
  async guide({ params, body }, { engine }) {
    const loop = await requireLoop(engine, params.loop);
    await guideLoop(engine, loop, body.text);
    return { loop: loop.id, task: loop.taskId };
  },
  async guideTask({ params, body }, { engine }) {
    const { id, taskId } = await findGuided(engine, params.task);
    await guideLoop(engine, { id, taskId }, body.text);
    return { loop: id, task: taskId };
  },
  async tasks({ query }, { engine }) {
    const tasks = await engine.store.read((tx) => tx.tasks.list({}));
    return { tasks: tasks.slice(0, query.limit).map(taskEntry) };
  },
  addTask: async ({ body }, { engine }) => taskEntry(await addTask(engine, body)),
  async messages({ query }, { engine }) {
    const { loop, limit } = query;
    const filter = loop === undefined ? { limit } : { loopId: loop, limit };
    const found = await engine.store.read((tx) => tx.messages.list(filter));
    return { messages: found.map(messageLine) };
  },
  async send({ body }, { engine }) {
    const { from, ...message } = body;
    const input = { ...message, sender: from ?? null };
    if (input.kind === 'query') {
      return { messages: [], answers: [...(await queryLoops(engine, input))], refused: [] };
    }
    const { sent, refused } = await sendMessage(engine, input);
    const whyNot = refused.map(({ message: why }) => why);
    return { messages: sent.map(messageLine), answers: [], refused: whyNot };
  },
};

async function requireLoop(engine: Engine, id: string): Promise<Loop> {
  const recorded = await engine.store.read((tx) => readRecorded(tx, id));
  if (recorded !== null) return recorded.loop;
  throw new LoopwrightError('loop.not_found', `there is no loop ${id.slice(0, 64)}`, {
    hint: 'list them with GET /v1/loops',
  });
}
