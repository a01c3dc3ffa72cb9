package agent

// callerVariables are what agents set for the commands that they run.
var callerVariables = []string{
	"CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
	"PI_CODING_AGENT", "GEMINI_CLI", "CURSOR_AGENT", "AI_AGENT", "MEM_CHILD",
}

// FindCaller reports whether an agent runs this command, and in which of its
// sessions; "" if the agent does not say.
func FindCaller(getenv func(string) string) (isAgent bool, session string) {
	for _, name := range []string{"CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID"} {
		if id := getenv(name); id != "" {
			return true, id
		}
	}
	for _, name := range callerVariables {
		if getenv(name) != "" {
			return true, ""
		}
	}
	return false, ""
}
