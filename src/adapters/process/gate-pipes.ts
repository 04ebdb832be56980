/** Our ends of pipes that another process holds, opened through `/proc`. */
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Streams } from './keeper.ts';
import { giveBuffer, takeBuffer } from './spare-buffers.ts';

/** Our ends of the pipes the gate holds; null when the system does not let us open them. */
export function openPipes(pid: number, withInput: boolean): Streams | null {
  const opened: Socket[] = [];
  const open = (descriptor: number, flag: number): Socket => {
    const fd = openSync(`/proc/${pid}/fd/${descriptor}`, flag | constants.O_NONBLOCK);
    const isInput = flag === constants.O_WRONLY;
    const socket = isInput ? new Socket({ fd, readable: false, writable: true }) : createReader(fd);
    opened.push(socket);
    return socket;
  };
  try {
    const stdout = open(5, constants.O_RDONLY);
    const stderr = open(6, constants.O_RDONLY);
    return { stdin: withInput ? open(4, constants.O_WRONLY) : null, stdout, stderr };
  } catch {
    // The gate ended already, or reading another process's descriptors is forbidden: its sockets still work.
    for (const socket of opened) socket.destroy();
    return null;
  }
}

/** Reads into one buffer for ever, so that a flood leaves no garbage: a chunk is good only while it is handed over. */
function createReader(fd: number): Socket {
  const buffer = takeBuffer();
  const socket: Socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback(length) {
        socket.emit('data', buffer.subarray(0, length));
        return true;
      },
    },
  });
  socket.once('close', () => giveBuffer(buffer));
  return socket;
}
