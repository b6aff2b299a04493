// What people load into their shells. The words come from the program itself, so that new commands need no new script.

const bash = `# bash: eval "$(tablewright completion bash)"
_tablewright() {
  local current="\${COMP_WORDS[COMP_CWORD]}" answer
  # Bash takes name=value apart; the value is nobody's to complete.
  if [[ "$current" == "=" || ( $COMP_CWORD -gt 0 && "\${COMP_WORDS[COMP_CWORD - 1]}" == "=" ) ]]; then COMPREPLY=(); return; fi
  answer="$("\${COMP_WORDS[0]}" --complete "$COMP_CWORD" "\${COMP_WORDS[@]:1}" 2>/dev/null)"
  if [[ "$answer" == ":files" ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  COMPREPLY=()
  [[ -n "$answer" ]] && mapfile -t COMPREPLY <<< "$answer"
  [[ "$answer" == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _tablewright tablewright
`;

const zsh = `#compdef tablewright
# zsh: source <(tablewright completion zsh), after compinit
_tablewright() {
  local -a found
  found=("\${(@f)$("\${words[1]}" --complete $((CURRENT - 1)) "\${(@)words[2,-1]}" 2>/dev/null)}")
  if [[ "\${found[1]}" == ":files" ]]; then
    _files
  elif [[ "\${found[1]}" == *= ]]; then
    compadd -S '' -- "\${found[@]}"
  elif [[ -n "\${found[1]}" ]]; then
    compadd -- "\${found[@]}"
  fi
}
compdef _tablewright tablewright
`;

const fish = `# fish: tablewright completion fish | source
function __tablewright_complete
  set -l before (commandline -opc)
  set -l current (commandline -ct)
  set -l answer ($before[1] --complete (count $before) $before[2..-1] $current 2>/dev/null)
  if test "$answer[1]" = ":files"
    __fish_complete_path $current
  else
    printf '%s\\n' $answer
  end
end
complete -c tablewright -f -a '(__tablewright_complete)'
`;

/** @type {Readonly<Record<'bash' | 'zsh' | 'fish', string>>} */
export const completionScripts = { bash, zsh, fish };
