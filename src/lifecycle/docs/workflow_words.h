// The parts of docs/workflows.md that no table can say.
#pragma once

#include <string_view>

namespace rouse {

inline constexpr std::string_view kIntro = R"md(# Workflows

<!-- Made by `rouse workflow docs` from src/lifecycle. Don't edit it by hand. -->

A workflow is a file of rules for a session's life: what is refused before a tool is called, what the agent is
told before it begins, what must be done before it may end. The agent can't talk its way around them: they are
looked at by the server, not by the model.

Two ship with rouse and are in force from the start: `headless-lifecycle` for the web app, the terminal and
programs, `session-lifecycle` for messengers behind a bridge. `rouse workflow list` shows what is in force,
`rouse workflow show NAME` prints its text.

Yours are `.yaml` files in the folder `workflows/` of the data folder. A file that is saved applies from the next
event on. A file of the same name as one of rouse's own takes its place; an empty file of that name switches it off.

```yaml
name: no-force-push
description: "Nobody pushes over other people's work"
type: lifecycle
sources: [claude_sdk]          # whose sessions; leave it out for everybody's
settings:
  priority: 50                 # lower goes first; 100 if it is not said
variables:                     # per session, with what they are before somebody sets them
  pushes: 0
  most_pushes: 3
triggers:
  on_before_tool:
    - action: block_tools
      rules:
        - tools: [Bash]
          command_pattern: 'git\s+push\s.*(--force|-f)\b'
          reason: "Don't push with force: merge, and push that."
        - tools: [Bash]
          when: "variables.get('pushes') >= variables.get('most_pushes')"
          command_pattern: 'git\s+push\b'
          reason: "That was push number {{ variables.pushes }}. Ask the owner before the next one."
  on_after_tool:
    - action: increment_variable
      when: "tool_is('Bash') and 'git push' in tool_input.get('command', '') and not tool_failed"
      name: pushes
```

An event goes through the workflows of the session's source in the order of their priority, and through the actions
of each in their order. An action whose `when` does not hold is passed over. The first refusal ends it; everything
that is to be told to the model is joined by blank lines.

Files are read strictly: a key, trigger, action, argument, variable, value or function that nobody knows is a problem
with its line and the nearest name that is known, and so is a broken expression. A file with a problem is not
loaded: its last good version stays in force, over a restart too, and `rouse doctor`, the log and the health page
say so.

If a gate can't be decided, because an expression fails or a fact can't be had, it refuses. Any other action that fails
is recorded and passed over: a turn does not stop for it.
)md";

inline constexpr std::string_view kTriggersIntro = R"md(
## Triggers

Where a trigger can't refuse, a gate does nothing.
)md";

inline constexpr std::string_view kActionsIntro = R"md(
## Actions

Every action can have a `when`: an expression that must hold.
)md";

inline constexpr std::string_view kNamesIntro = R"md(
## What expressions and templates can reach

These and nothing else.
)md";

inline constexpr std::string_view kLanguage = R"md(
## Expressions

A small, safe piece of Python: `and`, `or`, `not`, comparisons (also chained: `0 < n < 3`), `in`, `not in`, `is None`,
`a if c else b`, texts, numbers, `True`, `False`, `None` (also in small letters), lists, dicts, `x.key`, `x['key']`, `x[0]`,
`any(… for x in list if …)` and `all(…)`, `len`, `str`, `int`, `bool`, and the methods `get`, `startswith`, `endswith`,
`lower`, `upper`, `strip`, `split`, `keys`, `values`. There is no arithmetic, no assignment and no import.

Values mean what they mean in Python: an empty list is false, and `or` gives the operand. A key that is not there
is an error unless it is asked for with `.get()`.

```python
not variables.get('plan_mode') and tool_is('Edit')
tool_input.get('reason', '') not in ['obsolete', 'duplicate']
any(name in tool_input.get('path', '') for name in ['secrets/', '.env'])
```

## Templates

Text with holes: `{{ expression }}`, the filters `default(…)` and `join(…)`, `{% if … %} {% elif … %} {% else %}
{% endif %}`, `{% for x in list %} {% endfor %}`. `None` is written as nothing. Braces themselves are written as
`{{ '{{' }}`.

## Patterns

POSIX regular expressions, found anywhere in a command, with `\b`, `\s`, `\w`, `\d` and `(?:…)`. They speak of what a
shell runs and of nothing else. Write them in single quotes, so that YAML leaves the backslashes alone.
)md";

inline constexpr std::string_view kToolNamesIntro = R"md(
## Names of tools

A rule names a tool by its name here (`write_file`, `shell`, `tasks` …), or by a name that coding agents know:
)md";

inline constexpr std::string_view kAuthors = R"md(
## Writing one

```
rouse workflow check no-force-push.yaml      # every problem with its line; needs no server
rouse workflow test no-force-push.yaml --event on_before_tool \
  --data '{"tool_name": "shell", "tool_input": {"command": "git push -f"}}'
rouse workflow test headless-lifecycle --event on_before_tool --set plan_mode=true \
  --data '{"tool_name": "write_file", "tool_input": {"path": "a.py"}, "project": {"git": true}}'
rouse workflow trace conv_019a8c2f           # what fired in a conversation, what it decided and why
rouse why session conv_019a8c2f              # with what was refused there
```

`test` is a dry run: every step with its line, its condition with the value of each part, and what came of it; then the
decision, what the model would be told, and the variables that changed. What acts in the world is named and left out.
What the event is about stands in `--data`:

| key | |
|---|---|
| `tool_name`, `tool_class`, `tool_input` | of on_before_tool and on_after_tool; the class of rouse's own tools is known |
| `tool_result`, `tool_failed` | of on_after_tool |
| `prompt` | of on_before_agent |
| `answer` | of on_stop |
| `reason` | of on_session_end |
| `project` | `path`, `git` (is it a repository?), `dirty_files` |
| `task` | the claimed one: `number`, `title`, `state`, `commits` |
| `turn` | `kind`, `transport`, `tainted` |
)md";

}  // namespace rouse
