import { hostname } from 'node:os';
import { smallText } from '../files/small-file.ts';

const files = ['/etc/machine-id', '/var/lib/dbus/machine-id'];

/** The machine, or the container: its own id where the system has one, and its name. */
export function machineId(): string {
  const ids = files.map((file) => smallText(file)?.trim() ?? '');
  return `${ids.find((id) => id !== '') ?? ''}/${hostname()}`;
}
