'use strict';
// Loads the bundle with the code that V8 had made of it by the end of an earlier process. Node's own compile cache keeps a
// file as it is before it runs, without the functions that a launch then has to compile one by one.
const { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const path = require('node:path');
const vm = require('node:vm');

const refused = 3;
const signalled = 128;

/** Runs the command line by the bundle in `dist`. */
exports.startBundle = function startBundle(dist) {
  keepSmall();
  return loadBundle(dist, 'cli.cjs').main();
};

// A small process: its memory would grow with every iteration before it is collected, and each program that is started
// costs time in proportion to it. Compiled code is only good for the flags it was made under, so they come first.
function keepSmall() {
  const { setFlagsFromString } = require('node:v8');
  for (const flag of ['--semi-space-growth-factor=1', '--heap-growing-percent=30'])
    setFlagsFromString(flag);
}
exports.keepSmall = keepSmall;

/** What the entry of the bundle in `dist` exports. */
function loadBundle(dist, entry) {
  const words = process.argv.slice(2);
  const isHelp = words.includes('--help') || words.includes('-h');
  const folder = openCache(isHelp ? 'help' : words[0]);
  const modules = new Map();
  const fresh = new Map();

  function load(name) {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const file = path.join(dist, name);
    const module = { exports: {} };
    modules.set(name, module);
    compile(name, file)(module.exports, requireFrom, module, file, dist);
    return module.exports;
  }

  // Pieces have a hash of their source in their name; the rest is Node's to load.
  function requireFrom(id) {
    if (isPiece(id)) return load(path.basename(id));
    return require(id.startsWith('./') ? path.join(dist, id) : id);
  }

  // The build writes nothing but ASCII, which needs no decoding.
  function compile(name, file) {
    const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`;
    // V8 looks at the length of a source alone; only a name that changes with the source makes it safe.
    const isNamed = isPiece(name);
    const cachedData = folder !== null && isNamed ? readKept(path.join(folder, name)) : undefined;
    const script = new vm.Script(source, {
      filename: file,
      cachedData,
    });
    if (isNamed && (cachedData === undefined || script.cachedDataRejected)) fresh.set(name, script);
    return script.runInThisContext();
  }

  // A command that was refused has compiled little worth keeping, and one that was told to end is in a hurry.
  if (folder !== null) {
    process.once('exit', (code) => {
      if (code !== refused && code < signalled && fresh.size > 0) keep(folder, fresh);
    });
  }
  return load(entry);
}

function isPiece(name) {
  return /\.[\w-]{8}\.cjs$/.test(name);
}

/**
 * The folder of a command, since each compiles another part of the same files, and of a version of Node. Null when it is not ours alone: whoever can
 * write there decides what this program does.
 */
function openCache(word) {
  if (process.env.NODE_DISABLE_COMPILE_CACHE === '1') return null;
  const uid = process.getuid?.();
  const folder = path.join(tmpdir(), `loopwright-code-${uid}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there already, or cannot be made, and then the look at it fails.
  }
  try {
    const found = lstatSync(folder);
    if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) return null;
    const command = /^[a-z]{1,20}$/.test(word ?? '') ? word : 'other';
    return path.join(folder, `${command}-${process.version}`);
  } catch {
    return null;
  }
}

// V8 itself refuses what another version or other flags made, and what was cut off.
function readKept(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function keep(folder, scripts) {
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, script] of scripts) {
      const file = path.join(folder, name);
      writeFileSync(`${file}.${process.pid}`, script.createCachedData());
      renameSync(`${file}.${process.pid}`, file);
    }
  } catch {
    // A full disk: the next process compiles as this one did.
  }
}
