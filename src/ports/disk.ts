/** Room on the disk, and a reserve of it so that a full disk does not keep a loop from recording that it pauses. */
export interface Disk {
  /** Sets the reserve aside; false when there is no room for it. */
  holdReserve(): Promise<boolean>;
  /** Gives the reserve back; false when there was none. */
  dropReserve(): Promise<boolean>;
  /** Whether work can go on in a folder: room for the reserve and as much again. An unknown folder has room. */
  hasRoom(folder: string): Promise<boolean>;
}
