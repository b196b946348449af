import type { Command, CommandGroup, CommandOption } from "../command.ts";
import { completionPlaces, valueOptions } from "./command-tree.ts";

/** Fish's `complete` commands, with descriptions. */
export function fishCompletion(entries: readonly (Command | CommandGroup)[]): string {
  const values = valueOptions(entries);
  const lines = completionPlaces(entries).flatMap(({ path, words, options }) => {
    const condition = quote(
      words.length > 0
        ? `test "$(__accountd_path)" = "${path}"`
        : `string match -q "${path}*" "$(__accountd_path)"`,
    );
    return [
      ...words.map(
        ([word, description]) =>
          `complete -c accountd -n ${condition} -f -a ${word} -d ${quote(description)}`,
      ),
      ...options.map(
        ([name, option]) => `complete -c accountd -n ${condition} ${optionArguments(name, option)}`,
      ),
    ];
  });

  function optionArguments(name: string, { type, short, description }: CommandOption): string {
    const list = values.get(name) ?? [];
    const value = list.length > 0 ? ` -x -a ${quote(list.join(" "))}` : " -r -F";
    const shortName = short === undefined ? "" : ` -s ${short}`;
    return `-l ${name}${shortName}${type === "boolean" ? "" : value} -d ${quote(description)}`;
  }

  return `# Completion of accountd for fish: store it as ~/.config/fish/completions/accountd.fish.
function __accountd_path
  set -l words
  set -l skip 0
  for word in (commandline -opc)[2..]
    if test $skip = 1
      set skip 0
    else if contains -- $word ${[...values.keys()].map((name) => `--${name}`).join(" ")}
      set skip 1
    else if not string match -q -- '-*' $word
      set -a words $word
    end
  end
  echo "$words"
end
${lines.join("\n")}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
