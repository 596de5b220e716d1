export const SHELLS = ['bash', 'zsh', 'fish', 'kubectl'] as const;

/** SHELL decides whether descriptions follow the words, after a colon. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# Completion of zipjobs for bash
_zipjobs_completion() {
  local word current="\${COMP_WORDS[COMP_CWORD]#=}"
  COMPREPLY=()
  while IFS= read -r word; do
    if [[ "$word" == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done < <(SHELL=bash zipjobs --get-yargs-completions "\${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
}
complete -o bashdefault -o default -F _zipjobs_completion zipjobs`,
  zsh: `#compdef zipjobs
# Completion of zipjobs for zsh
_zipjobs() {
  local -a found
  found=("\${(@f)$(SHELL=zsh zipjobs --get-yargs-completions "\${(@)words[1,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then
    _describe 'zipjobs' found
  else
    _default
  fi
}
if [[ "\${zsh_eval_context[-1]}" == loadautofunc ]]; then
  _zipjobs "$@"
else
  compdef _zipjobs zipjobs
fi`,
  fish: `# Completion of zipjobs for fish
function __zipjobs_complete
  SHELL=zsh zipjobs --get-yargs-completions (commandline -opc) (commandline -ct) 2>/dev/null | string replace ':' \\t
end
complete -c zipjobs -f -a '(__zipjobs_complete)'`,
  // kubectl 1.26 and newer run this program for the words after `zipjobs`. Its last line allows names of files if there is no word.
  kubectl: `#!/bin/sh
# Completion of kubectl zipjobs: put this on the PATH as kubectl_complete-zipjobs, and make it executable
SHELL=zsh kubectl-zipjobs --get-yargs-completions zipjobs "$@" 2>/dev/null | sed "s/:/$(printf '\\t')/"
echo :0`,
};

/** Of this shell, or else of bash. */
export function completionScript(shell: string | undefined): string {
  return SCRIPTS[shell ?? ''] ?? SCRIPTS['bash'] ?? '';
}
