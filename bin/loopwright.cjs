#!/usr/bin/env node
'use strict';
// The published entry. Tiny and CommonJS so that any Node can parse it: it looks at the version first,
// answers what needs no engine, and imports the rest on demand.
const { existsSync, fstatSync, readFileSync, statSync, writeSync } = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const [major] = process.versions.node.split('.').map(Number);

if (major < 24) handOver();
else {
  holdLifeline();
  if (!answerAtOnce()) void start();
}

// A terminal gets colours and its own width; everyone else the same text every time.
function answerAtOnce() {
  const [word, ...more] = process.argv.slice(2);
  if (more.length > 0 || (word !== '--help' && word !== '--version')) return false;
  const file = path.join(root, ...(word === '--help' ? ['dist', 'help.txt'] : ['package.json']));
  if (isClone() || mayBeTerminal()) return false;
  const text = readFileSync(file, 'utf8');
  try {
    writeSync(1, word === '--help' ? text : `${JSON.parse(text).version}\n`);
    return true;
  } catch {
    // A reader that is slow or gone is the business of the program itself.
    return false;
  }
}

// Asking for certain loads a tenth of Node. A terminal is a device, and so is the one that swallows everything.
function mayBeTerminal() {
  try {
    const out = fstatSync(1);
    return out.isCharacterDevice() && out.rdev !== statSync('/dev/null').rdev;
  } catch {
    return true;
  }
}

function isClone() {
  return existsSync(path.join(root, 'src', 'cli', 'main.ts'));
}

async function start() {
  const { keepSmall, startBundle } = require('./bundle.cjs');
  try {
    if (!isClone()) return await startBundle(path.join(root, 'dist'));
    keepSmall();
    const cli = await importSources();
    await cli.main();
  } catch (error) {
    process.stderr.write(`loopwright could not start: ${error && error.message}\n`);
    process.exitCode = 3;
  }
}

// A clone runs its sources, so that what is tried is what is written; the package has only the bundle.
function importSources() {
  require('node:module').enableCompileCache?.();
  return import(require('node:url').pathToFileURL(path.join(root, 'src', 'cli', 'main.ts')).href);
}

// For the child of `handOver`: who kills the parent means this process.
function holdLifeline() {
  if (process.env.LOOPWRIGHT_LIFELINE !== '3') return;
  delete process.env.LOOPWRIGHT_LIFELINE;
  const { Socket } = require('node:net');
  const lifeline = new Socket({ fd: 3 });
  lifeline.on('error', () => undefined).on('close', () => process.kill(process.pid, 'SIGKILL'));
  lifeline.resume().unref();
  process.on('SIGINT', () => {
    lifeline.write('.');
    if (process.listenerCount('SIGINT') === 1) process.exit(130);
  });
}

// A clone brings its own Node through npm; an older system Node hands over to it.
function handOver() {
  const own = path.join(root, 'node_modules', 'node', 'bin', 'node');
  if (!existsSync(own)) {
    process.stderr.write(
      `loopwright needs Node 24 or newer and this is ${process.version}: install a current Node, or run \`npm ci\` in a clone, which brings its own.\n`,
    );
    process.exit(3);
  }
  const { spawn } = require('node:child_process');
  const child = spawn(own, [__filename, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, LOOPWRIGHT_LIFELINE: '3' },
  });
  // A terminal's Ctrl-C reaches the child by itself, which then says so; one that was meant for us alone is passed on.
  let [came, heard] = [0, 0];
  child.stdio[3].on('error', () => undefined).on('data', (bytes) => (heard += bytes.length));
  process.on('SIGINT', () => {
    const number = ++came;
    setTimeout(() => heard >= number || child.kill('SIGINT'), 2000);
  });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (require('node:os').constants.signals[signal] || 0);
  });
}
