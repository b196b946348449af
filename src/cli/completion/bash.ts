import type { Command, CommandGroup } from "../command.ts";
import { completionPlaces, valueOptions } from "./command-tree.ts";

/** The function of bash's programmable completion. An option with another value than words is completed as a file. */
export function bashCompletion(entries: readonly (Command | CommandGroup)[]): string {
  const values = [...valueOptions(entries)];
  const words = values.filter(([, list]) => list.length > 0);
  return `# Completion of accountd for bash: source it, or store it as /usr/share/bash-completion/completions/accountd.
_accountd() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} path= words= options= word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      =) i=$((i + 1)) ;;
      ${values.map(([name]) => `--${name}`).join("|")}) [[ \${COMP_WORDS[i + 1]} == = ]] || i=$((i + 1)) ;;
      -*) ;;
      *) path="$path $word" ;;
    esac
  done
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  case $prev in
${words.map(([name, list]) => `    --${name}) COMPREPLY=($(compgen -W "${list.join(" ")}" -- "$cur")); return ;;\n`).join("")}\
    ${values.map(([name]) => `--${name}`).join("|")}) return ;;
  esac
  case $path in
${completionPlaces(entries)
  .map(({ path, words, options }) => {
    const found = words.map(([word]) => word).join(" ");
    const flags = options.map(([name]) => `--${name}`).join(" ");
    const pattern = path === "" ? '""' : `" ${path}"${words.length > 0 ? "" : "*"}`;
    return `    ${pattern}) words="${found}" options="${flags}" ;;\n`;
  })
  .join("")}\
  esac
  [[ $cur == -* || -z $words ]] && words=$options
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _accountd accountd`;
}
