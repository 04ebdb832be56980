export const shells = ['bash', 'zsh', 'fish'] as const;

/** What each shell loads. All of them ask `loopwright __complete` with the words so far, the last one unfinished. */
export const shellScripts: Readonly<Record<(typeof shells)[number], string>> = {
  bash: `_loopwright() {
  local IFS=$'\\n'
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=($(loopwright __complete -- "\${words[@]}" 2>/dev/null))
  if [ "\${COMPREPLY[0]}" = ":files" ]; then
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  fi
}
complete -o filenames -F _loopwright loopwright
`,
  zsh: `#compdef loopwright
_loopwright() {
  local -a offered
  offered=("\${(@f)$(loopwright __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${offered[1]}" == ":files" ]]; then
    _files
  else
    compadd -- $offered
  fi
}
if [[ "$funcstack[1]" == "_loopwright" ]]; then
  _loopwright "$@"
else
  compdef _loopwright loopwright
fi
`,
  fish: `function __loopwright_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l offered (loopwright __complete -- $words[2..-1] 2>/dev/null)
  if test "$offered[1]" = ":files"
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $offered
  end
end
complete -c loopwright -f -a '(__loopwright_complete)'
`,
};
