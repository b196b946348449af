import type { Command, CommandGroup } from "../command.ts";
import { completionPlaces, valueOptions } from "./command-tree.ts";

/** The function of zsh's completion system, with descriptions. */
export function zshCompletion(entries: readonly (Command | CommandGroup)[]): string {
  const values = [...valueOptions(entries)];
  const words = values.filter(([, list]) => list.length > 0);
  return `#compdef accountd
# Completion of accountd for zsh: store it as _accountd in a folder of $fpath, or source it after compinit.
_accountd() {
  local commandPath= word
  local -a found options
  integer i
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case $word in
      ${values.map(([name]) => `--${name}`).join("|")}) i=$((i + 1)) ;;
      -*) ;;
      *) commandPath="$commandPath $word" ;;
    esac
  done
  case $words[CURRENT-1] in
${words.map(([name, list]) => `    --${name}) compadd ${list.join(" ")}; return ;;\n`).join("")}\
    ${values.map(([name]) => `--${name}`).join("|")}) _files; return ;;
  esac
  case $commandPath in
${completionPlaces(entries)
  .map(({ path, words, options }) => {
    const pattern = path === "" ? '""' : `" ${path}"${words.length > 0 ? "" : "*"}`;
    const found = words.map(([word, description]) => quote(`${word}:${description}`));
    const flags = options.map(([name, { description }]) => quote(`--${name}:${description}`));
    return `    ${pattern}) found=(${found.join(" ")}); options=(${flags.join(" ")}) ;;\n`;
  })
  .join("")}\
  esac
  if [[ $PREFIX == -* ]]; then _describe option options
  elif (( $#found )); then _describe command found
  else _files
  fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _accountd "$@"; else compdef _accountd accountd; fi`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
