package main

import (
	"fmt"

	"mem/fault"
	"mem/workspace"
)

// explainError returns the exit code of an error of a command, and the hint for it.
func explainError(command string, err error) (code fault.Code, hint string) {
	code, hint = fault.Explain(err)
	switch {
	case code != fault.Usage || hint != "":
	case command == "mem":
		hint = "run 'mem help' for the commands and flags"
	default:
		hint = "run '" + command + " --help' for its arguments and flags"
	}
	return code, hint
}

// usagef makes an error in the words of a command.
func usagef(format string, args ...any) error {
	return fault.New(fault.Usage, fmt.Sprintf(format, args...), "")
}

// reportError tells the person what went wrong in a command and returns the exit code.
func reportError(env Env, command string, err error) int {
	if err == nil {
		return 0
	}
	code, hint := explainError(command, err)
	env.Note("%s", workspace.DescribeError(err))
	env.Hint("%s", hint)
	return int(code)
}
