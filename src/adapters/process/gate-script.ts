/**
 * The shell scripts of the gate. Descriptors: 3: the engine talks here; 9: the gate answers here; 4: stdin; 5 and 7: stdout;
 * 6 and 8: stderr, 6 later on what it was when the gate was started. Dash knows no descriptors above 9.
 *
 * Node connects children by sockets, which cannot be opened again by name: `echo x > /dev/stderr` or
 * `cat /dev/stdin` fail on them. On Linux the gate therefore makes real pipes (a here-document is one) and holds
 * both ends until the engine has opened its own through `/proc`.
 */
import { markVariable } from './mark.ts';

/** What the gate is called among processes. */
export const gateName = 'loopwright-gate';

/**
 * Says what kind of streams it has and waits for permission; the end of descriptor 3 means that none will come. With the
 * permission come as many lines as it says, each a variable: a gate that was started ahead has those of an earlier run.
 */
const waitForPermission = `
{ true >&9; } 2>/dev/null || exec 9>&3
__lw_kind=sockets
if [ -e /proc/self/fd ]; then
  exec 4<<. 5<<. 6<<.
-
.
-
.
-
.
  read -r __lw_line <&4; read -r __lw_line <&5; read -r __lw_line <&6
  if [ -p /proc/self/fd/4 ] && [ -p /proc/self/fd/5 ] && [ -p /proc/self/fd/6 ]; then
    exec 7>/proc/self/fd/5 8>/proc/self/fd/6
    __lw_kind=pipes
  fi
fi
echo "$__lw_kind" >&9
read -r __lw_kind __lw_input __lw_count __lw_marks <&3 || exit 125
while [ "$__lw_count" -gt 0 ]; do
  IFS= read -r __lw_line <&3 || exit 125
  export "$__lw_line"
  __lw_count=$((__lw_count - 1))
done
export ${markVariable}="$__lw_marks"
`;

const connectStreams = `
[ "$__lw_kind" = pipes ] && exec 1>&7 2>&8
[ "$__lw_input" = pipe ] && exec 0<&4
exec 3>&- 4<&- 5<&- 6<&- 7>&- 8>&- 9>&-
`;

/** Becomes the program. */
export const plainGate = `${waitForPermission}${connectStreams}exec "$@"\n`;

/**
 * Is the first process of a namespace: starts the program, adopts and buries what it leaves, and tells how it ended.
 * A shell says on its stderr when its child was killed (\`Killed\`): that is how the engine knows exit code 137 from a
 * signal. \`left\` instead of \`over\` means that processes are still there; it then waits for them to be ended.
 */
export const namespaceGate = `${waitForPermission}
exec 6>&2 2>&9
( exec 2>&6
${connectStreams}
exec "$@" )
__lw_code=$?
if kill -0 -1 2>/dev/null; then
  echo "left $__lw_code" >&9
  read -r __lw_line <&3
else
  echo "over $__lw_code" >&9
fi
exit 0
`;
