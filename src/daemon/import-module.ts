/** A module of the user's, by its address. In the package this is a file of its own: kept code has no import. */
export async function importModule(url: string): Promise<unknown> {
  return import(url);
}
