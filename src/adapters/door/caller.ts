/**
 * `loopwright` inside a loop: hands its arguments to the engine through the loop's socket and prints what comes back. It needs
 * nothing but Node, so that it works wherever this one file can be read.
 */
import { readFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';

const refused = 3;
const [socketPath = '', ...argv] = process.argv.slice(2);
const stdin = argv.includes('-') ? readFileSync(0, 'utf8') : null;
const socket = connect(socketPath);
const chunks: Buffer[] = [];

socket.on('connect', () => socket.write(`${JSON.stringify({ type: 'command', argv, stdin })}\n`));
socket.on('data', (chunk: Buffer) => chunks.push(chunk));
socket.on('error', () => {
  // Told when it closes.
});
socket.on('close', () => {
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    const { stdout, stderr, exitCode } = JSON.parse(text);
    print(1, String(stdout));
    print(2, String(stderr));
    process.exitCode = Number(exitCode);
  } catch {
    print(2, 'loopwright: the loop does not listen any more\n');
    process.exitCode = refused;
  }
});

/** All of it, also into a pipe that is full. */
function print(fd: number, text: string): void {
  let bytes = Buffer.from(text);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      if (!isFull(error)) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
