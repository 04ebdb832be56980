/** Where known agents keep settings and sign-in, below the home folder. */
const known: Readonly<Record<string, readonly string[]>> = {
  claude: ['.claude', '.claude.json', '.config/claude'],
  codex: ['.codex'],
  gemini: ['.gemini'],
  opencode: ['.config/opencode', '.local/share/opencode', '.local/state/opencode'],
  pi: ['.pi'],
};

/** Those of every known agent whose name is a word of the command. */
export function stateFolders(command: string): readonly string[] {
  const words = new Set(
    command.split(/[\s;&|()'"]/).map((word) => word.slice(word.lastIndexOf('/') + 1)),
  );
  return Object.entries(known).flatMap(([name, folders]) => (words.has(name) ? folders : []));
}
