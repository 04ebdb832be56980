#!/bin/sh
# Any program that reads a prompt on stdin and changes files can be an agent. This one knows three tasks by heart.
# What it prints is its final message; the engine believes none of it and runs the checks.
# A prompt also tells what was done before, so the last task of the plan is looked for first.
prompt=$(cat)

case $prompt in
  *'Document the greeting'*)
    printf '# greet\n\n    sh greet.sh [fr]\n' > GREETING.md
    echo 'GREETING.md shows how to call it.'
    ;;
  *'Say hello in French'*)
    printf 'case $1 in fr) echo bonjour ;; *) echo hello ;; esac\n' > greet.sh
    echo 'greet.sh takes a language now.'
    ;;
  *'Say hello'*)
    # The first attempt is wrong on purpose: the second prompt tells what failed.
    if [ -f greet.sh ]; then echo 'echo hello' > greet.sh; else echo 'echo helo' > greet.sh; fi
    echo 'greet.sh greets.'
    ;;
esac
