// Completion scripts, made from the tree of commands itself, so that they are never out of date.
#include <CLI/CLI.hpp>

#include "app/cli/command.h"

namespace rouse::cli {
namespace {

struct Level {
  std::string path;                                        // "rouse token create"
  std::vector<std::pair<std::string, std::string>> words;  // word, what it is for
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void collect(const CLI::App& app, const std::string& path, std::vector<Level>& out) {
  Level level{path, {}};
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* sub : subcommands) {
    level.words.emplace_back(sub->get_name(), first_line(sub->get_description()));
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      level.words.emplace_back("--" + name, first_line(option->get_description()));
    }
  }
  out.push_back(std::move(level));
  for (const CLI::App* sub : subcommands) collect(*sub, path + " " + sub->get_name(), out);
}

std::vector<Level> levels_of(const CLI::App& root) {
  std::vector<Level> out;
  collect(root, "rouse", out);
  return out;
}

// For single quotes of a shell.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string words_of(const Level& level) {
  std::string out;
  for (const auto& [word, doc] : level.words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Walks the words typed so far: a word that is a command of the level reached goes one level down.
std::string bash_script(const std::vector<Level>& levels) {
  std::string out = R"sh(# rouse completion for bash. Use it with: source <(rouse completion bash)
_rouse_words() {
  case "$1" in
)sh";
  for (const Level& level : levels) {
    out += fmt::format("    {}) echo {} ;;\n", shell_quoted(level.path),
                       shell_quoted(words_of(level)));
  }
  out += R"sh(  esac
}
_rouse() {
  local path=rouse word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ "$word" != -* && -n "$(_rouse_words "$path $word")" ]]; then path="$path $word"; fi
  done
  COMPREPLY=($(compgen -W "$(_rouse_words "$path")" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _rouse rouse
)sh";
  return out;
}

std::string zsh_script(const std::vector<Level>& levels) {
  std::string out = R"sh(#compdef rouse
# rouse completion for zsh. Use it with: source <(rouse completion zsh)
_rouse_words() {
  case "$1" in
)sh";
  for (const Level& level : levels) {
    out += fmt::format("    {}) reply=(", shell_quoted(level.path));
    for (const auto& [word, doc] : level.words) out += " " + shell_quoted(word + ":" + doc);
    out += " ) ;;\n";
  }
  out += R"sh(    *) reply=() ;;
  esac
}
_rouse() {
  local path_so_far=rouse word i
  local -a reply
  for ((i = 2; i < CURRENT; i++)); do
    word="${words[i]}"
    _rouse_words "$path_so_far $word"
    if [[ "$word" != -* && ${#reply} -gt 0 ]]; then path_so_far="$path_so_far $word"; fi
  done
  _rouse_words "$path_so_far"
  _describe 'rouse' reply
  _files
}
if [[ "$funcstack[1]" == _rouse ]]; then _rouse "$@"; else compdef _rouse rouse; fi
)sh";
  return out;
}

// Fish quotes differ only in the escape of the quote itself.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_script(const std::vector<Level>& levels) {
  std::string out = R"sh(# rouse completion for fish. Use it with: rouse completion fish | source
function __rouse_path
  set -l path rouse
  set -l known)sh";
  for (const Level& level : levels) out += " " + fish_quoted(level.path);
  out += R"sh(
  for word in (commandline -opc)[2..-1]
    if contains -- "$path $word" $known
      set path "$path $word"
    end
  end
  echo $path
end
)sh";
  for (const Level& level : levels) {
    for (const auto& [word, doc] : level.words) {
      const std::string when = fmt::format("-n 'test (__rouse_path) = \"{}\"'", level.path);
      out += word.starts_with("--") ? fmt::format("complete -c rouse {} -l {} -d {}\n", when,
                                                  word.substr(2), fish_quoted(doc))
                                    : fmt::format("complete -c rouse -f {} -a {} -d {}\n", when,
                                                  word, fish_quoted(doc));
    }
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& root, Chosen& chosen) {
  CLI::App& completion =
      add_command(root, "completion", "Print a script that completes rouse commands in your shell.",
                  {"source <(rouse completion bash)",
                   "rouse completion fish > ~/.config/fish/completions/rouse.fish"});
  completion.require_subcommand(1);
  const auto shell = [&](const std::string& name, std::string (*script)(const std::vector<Level>&),
                         const std::string& example) {
    CLI::App& command = add_command(completion, name, "The script for " + name + ".", {example});
    command.callback([script, &chosen] {
      chosen.run = [script, root_app = chosen.root] {
        fmt::print("{}", script(levels_of(*root_app)));
        return kOk;
      };
    });
  };
  shell("bash", bash_script, "echo 'source <(rouse completion bash)' >> ~/.bashrc");
  shell("zsh", zsh_script, "echo 'source <(rouse completion zsh)' >> ~/.zshrc");
  shell("fish", fish_script, "rouse completion fish > ~/.config/fish/completions/rouse.fish");
}

}  // namespace rouse::cli
