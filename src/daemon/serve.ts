import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { folderIdentity } from '../adapters/files/own-folder.ts';
import { watchFolder } from '../adapters/files/watch-folder.ts';
import { LoopwrightError } from '../core/error.ts';
import { Dispatcher, type DispatchOptions } from '../engine/dispatcher.ts';
import { budgetLimitsOf } from '../engine/run-budget.ts';
import { endSession, startSession } from '../engine/session.ts';
import { Throttle } from '../engine/throttle.ts';
import { tellQueue } from '../engine/tell-queue.ts';
import { tidyWorktrees } from '../engine/tidy-worktrees.ts';
import type { LiveEvent, LiveListener } from '../ports/live.ts';
import type { Store } from '../ports/store.ts';
import { protocolVersion } from '../protocol/http/route.ts';
import { isoTime } from '../protocol/value.ts';
import { EventFeed } from '../server/event-feed.ts';
import { EventStreams } from '../server/event-stream.ts';
import { listen } from '../server/http-server.ts';
import type { OutageState } from '../core/outage/outage-view.ts';
import type { Opened } from './compose.ts';
import { DaemonLife } from './life.ts';
import { takeDaemonLock } from './lock.ts';
import {
  readRegistration,
  removeRegistration,
  socketBeside,
  writeRegistration,
} from './registration.ts';

export type ServeInput = {
  /** Opens the project with this listener for live events. */
  open(publish: LiveListener): Promise<Opened>;
  /** Calls back at every signal to end, until disposed. */
  onSignal(listener: () => void): Disposable;
  /** One line for the log. */
  readonly log: (text: string) => void;
  /** What the log says of an outage; null or absent: nothing. */
  readonly outageNews?: (outage: OutageState, isOver: boolean) => string | null;
  readonly redact: (text: string) => string;
  /** Called once it answers. */
  ready(url: string): void;
  readonly takesReady: boolean;
  /** 0: any free one. */
  readonly port: number;
  /** How long iterations may go on after the first signal. */
  readonly drainMs?: number;
  /** How long a reader of events may leave what it was sent untaken. */
  readonly patienceMs?: number;
};

const netMs = 5000;
const lookMs = 250;
const feedMs = 20;

/** The life of a daemon: from the lock to the last goodbye. Settles when everything it drove rests. */
export async function serveDaemon(input: ServeInput): Promise<void> {
  const listeners = new Set<LiveListener>();
  const publish = (event: LiveEvent) => {
    for (const listener of listeners) listener(event);
  };
  const early: LiveEvent[] = [];
  const keepEarly: LiveListener = (event) => early.push(event);
  listeners.add(keepEarly);
  await using opened = await input.open(publish);
  const { engine } = opened;
  const { clock, stateDir } = engine;
  using lock = takeDaemonLock(stateDir);
  if (lock === null) throw await alreadyRunning(stateDir);
  const id = engine.ids.token().slice(0, 12);
  const token = engine.ids.token();
  const session = await startSession(engine, 'daemon');
  await using _queue = tellQueue(engine, session);
  const dispatcher = new Dispatcher(engine, session, dispatchOptions(opened, input.takesReady));
  const feed = new EventFeed({ store: engine.store, now: () => clock.now(), redact: input.redact });
  const closing = new AbortController();
  const streams = new EventStreams({
    feed,
    clock,
    patienceMs: input.patienceMs ?? 15_000,
    maxReaders: 100,
    closing: closing.signal,
  });
  const life = new DaemonLife({ id, engine, session, dispatcher, streams, ...input });
  listeners.add((event) => dispatcher.observe(event));
  listeners.add((event) => feed.publish(event));
  listeners.add((event) => life.tell(event));
  listeners.delete(keepEarly);
  for (const event of early) life.tell(event);
  await tidyWorktrees(engine);
  const server = {
    token,
    version: engine.version,
    clock,
    backend: life,
    streams,
    redact: input.redact,
    mistake: (error: unknown) => input.log(describe(error)),
  };
  await using http = await listen(server, { port: input.port });
  const socket = await socketPath(stateDir);
  await using _unix = await listen(server, { socket: socket.path });
  await chmod(socket.path, 0o600);
  using _signals = input.onSignal(() => life.shutdown(false));
  using looks = new Throttle(clock, lookMs, () => dispatcher.wake());
  using reads = new Throttle(clock, feedMs, () => feed.wake());
  const changed = () => {
    looks.poke();
    reads.poke();
  };
  const { dir, base } = path.parse(opened.storeFile);
  using _store = watchFolder(dir, base, changed);
  const url = `http://127.0.0.1:${http.port ?? 0}`;
  const { pid, startTime } = session.process;
  await writeRegistration(stateDir, {
    id,
    version: engine.version,
    protocol: protocolVersion,
    url,
    socket: socket.path,
    folder: folderIdentity(stateDir) ?? '',
    token,
    pid,
    startTime,
    startedAt: isoTime(session.startedAt),
  });
  input.log(`daemon ${id} runs as process ${pid} at ${url}`);
  input.ready(url);
  dispatcher.wake();
  let isGone = false;
  while (!life.asked.aborted) {
    const slept = await clock.sleep(netMs, life.asked).then(
      () => true,
      // Asked to end.
      () => false,
    );
    const lost = slept ? lostStore(engine.store) : null;
    if (lost === null) changed();
    else {
      isGone = true;
      input.log(lost);
      life.shutdown(true);
    }
  }
  await life.drained();
  await removeRegistration(stateDir, id);
  closing.abort();
  feed.wake();
  await socket.remove();
  if (!isGone) await endSession(engine, session);
  input.log(`daemon ${id} has ended`);
}

/** A project that was moved or deleted has no use for this process, which still works for its old path. */
function lostStore(store: Store): string | null {
  try {
    store.assertInPlace();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function dispatchOptions(opened: Opened, takesReady: boolean): DispatchOptions {
  const loop = { inPlace: false, commit: true, verify: true, keepGoing: false };
  // The files may change while the daemon lives; they are read again only when they did.
  let read = { mark: '', config: Promise.resolve<Pick<Opened, 'config' | 'planFor'>>(opened) };
  const current = async () => {
    const mark = await opened.configMark();
    if (mark !== read.mark) read = { mark, config: opened.reread() };
    return read.config;
  };
  return {
    takesReady,
    run: {
      loop,
      allowDirty: false,
      session: 'daemon',
      planFor: async (task) => (await current()).planFor(task, loop.verify),
    },
    async limits() {
      // Outside of git all loops share one folder.
      if (opened.project.kind === 'folder') return { maxLoops: 1, maxAgents: 1 };
      const { settings } = (await current()).config;
      opened.engine.budget.limits = budgetLimitsOf(settings);
      const { scheduler } = settings;
      return { maxLoops: scheduler['max-loops'], maxAgents: scheduler['max-agents'] };
    },
    configMark: () => opened.configMark(),
  };
}

/** The system takes only short paths for sockets: a repository deep down gets one in a private temporary folder. */
async function socketPath(
  stateDir: string,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const beside = socketBeside(stateDir);
  if (beside !== null) {
    // Whoever left it is gone: the lock is ours.
    await rm(beside, { force: true });
    return { path: beside, remove: () => rm(beside, { force: true }) };
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'loopwright-'));
  return {
    path: path.join(folder, 'daemon.sock'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function alreadyRunning(stateDir: string): Promise<LoopwrightError> {
  const first = await readRegistration(stateDir);
  const who = first === null ? '' : `: process ${first.pid} since ${first.startedAt}`;
  return new LoopwrightError('daemon.running', `a daemon works for this repository already${who}`, {
    hint: 'see `loopwright daemon status`, or end it with `loopwright daemon stop`',
  });
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
